"""A script as a process of its own group, with a deadline. Looked at now and then, never waited for.

The trap: a script's children outlive it, and hold on to its output. Its whole group is ended with it.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from trainwatch.adapters.scripts.output import Output
from trainwatch.adapters.scripts.processes import birth
from trainwatch.core.model.scripts import Ended, Process
from trainwatch.core.words import duration

GRACE_S = 10.0  # between SIGTERM and SIGKILL
DYING_S = 30.0  # what is killed and there for so long hangs in the kernel
_STEP_S = 0.1


class Running:
    """A run of one script."""

    def __init__(
        self,
        path: str,
        *,
        host: str,
        output: Path,
        heading: str,
        environment: Mapping[str, str],
        deadline_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begins it. `clock` is one that nobody sets. Raises OSError if it cannot be begun."""
        self._clock, self._began, self._deadline_s = clock, clock(), deadline_s
        self._asked_at: float | None = None  # when it was sent SIGTERM
        self._killed_at: float | None = None
        self._why_ended = f"was ended after its deadline of {duration(deadline_s)}"
        self._output = Output(output, heading)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own script; no shell reads its name
                [path],
                cwd=os.path.dirname(path),  # noqa: PTH120
                stdin=subprocess.DEVNULL,
                stdout=self._output.write_end,
                stderr=self._output.write_end,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError:
            self._output.abandon()
            raise
        self._output.start()
        pid = self._process.pid
        self.process = Process(host=host, pid=pid, birth=birth(pid) or "")

    def poll(self) -> Ended | None:
        """How it ended; None while it runs. Ends it when its time is over."""
        if self._is_over():
            return self._ended()
        now = self._clock()
        if self._asked_at is None:
            if now - self._began >= self._deadline_s:
                self._ask_to_end(now)
        elif self._killed_at is None:
            if now - self._asked_at >= GRACE_S:
                self._killed_at = now
                self._signal(signal.SIGKILL)
        elif now - self._killed_at >= DYING_S:
            how = f"{self._why_ended} and cannot be killed: it hangs in the kernel"
            return Ended(exit_code=None, took_s=self._took_s(), how=how, tail=self._finish(how))
        return None

    def stop(self, patience_s: float, how: str) -> Ended:
        """Wait so long for its end, then end it. `how` is what is said of it then."""
        if (ended := self._wait(patience_s)) is not None:
            return ended
        if self._asked_at is None:
            self._why_ended = how
            self._ask_to_end(self._clock())
        if (ended := self._wait(GRACE_S)) is not None:
            return ended
        self._signal(signal.SIGKILL)
        if (ended := self._wait(1.0)) is not None:
            return ended
        stuck = f"{how} and cannot be killed"
        return Ended(exit_code=None, took_s=self._took_s(), how=stuck, tail=self._finish(stuck))

    def _wait(self, patience_s: float) -> Ended | None:
        until = time.monotonic() + patience_s
        while not self._is_over():
            if time.monotonic() >= until:
                return None
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_STEP_S)
        return self._ended()

    def _is_over(self) -> bool:
        """Whether the script itself has ended; its number is still its own then, and so is its group's."""
        with suppress(ChildProcessError):
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            return found is not None
        return True

    def _ended(self) -> Ended:
        self._signal(signal.SIGKILL)  # what it left in the background
        code, took_s = self._process.wait(), self._took_s()
        if self._asked_at is not None:
            how, exit_code = self._why_ended, None
        elif code < 0:
            how, exit_code = f"was killed by {_name(-code)}", 128 - code
        else:
            how, exit_code = "", code
        footer = how or f"exit {exit_code}"
        tail = self._finish(f"{footer}, {duration(took_s)}")
        return Ended(exit_code=exit_code, took_s=took_s, how=how, tail=tail)

    def _finish(self, footer: str) -> str:
        return self._output.finish(footer)

    def _took_s(self) -> float:
        return max(0.0, self._clock() - self._began)

    def _ask_to_end(self, now: float) -> None:
        self._asked_at = now
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)  # one that was halted would not hear

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

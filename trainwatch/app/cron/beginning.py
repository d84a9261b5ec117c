"""How a script begins: what the ledger says of it before, what it is handed, and why it cannot be started.

The trap: it may outlive whoever began it. Its entry says by when its watcher would have ended it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from trainwatch.app.cron.jobs import BatchJobs
from trainwatch.app.cron.needs import Machine, Running
from trainwatch.core import scripting
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.message import stamp
from trainwatch.core.model.observations import ScriptReading
from trainwatch.core.model.scripts import Begun, Ended, Script
from trainwatch.core.words import duration

_DYING_S = 60.0  # beyond its deadline: whoever began a script has ended it by then
_CANNOT_RUN = 126  # as shells say it


class Starter:
    """Runs scripts on this machine, and submits the batch scripts among them."""

    def __init__(
        self,
        machine: Machine,
        output: Path,
        offset_at: Callable[[float], float],
        deadline_s: float,
        environment: Mapping[str, str],
        jobs: BatchJobs | None,
    ) -> None:
        """`output` is the folder of all output; `offset_at` the zone of its headings, s ahead of UTC."""
        self._machine, self._output, self._offset_at = machine, output, offset_at
        self._deadline_s, self._environment, self._jobs = deadline_s, dict(environment), jobs

    def entry(self, script: Script, before: Begun | None, now: float) -> Begun:
        """The run as it stands in the ledger before it begins."""
        run = Begun(
            began=now,
            label=script.label,
            watcher=self._machine.me,
            ends_by=now + self._deadline_s + _DYING_S,
            bad=before.bad if before else False,
        )
        if script.is_job and self._jobs is not None:
            return self._jobs.claimed(script, run)
        return run

    def run(self, script: Script, now: float) -> Running | Ended:
        """Begin it on this machine; how it ended, where it cannot be started."""
        when = stamp(now, self._offset_at(now))
        try:
            return self._machine.start(
                script.path,
                output=self._output / script.output,
                heading=f"=== {when} {script.path}, at most {duration(self._deadline_s)}",
                environment={**self._environment, "TRAINWATCH_PERIOD": script.place.period},
                deadline_s=self._deadline_s,
            )
        except OSError as error:
            return _not_started(error)

    def submit(self, script: Script, run: Begun, now: float) -> tuple[Begun, ScriptReading | None]:
        """Submit a batch script: its run since then, and what is to be told of it at once, if anything."""
        assert self._jobs is not None
        output = self._output / script.output
        self._machine.make_room(output)
        try:
            text = self._machine.text(script.path)
        except TrainwatchError as error:
            ended = Ended(exit_code=_CANNOT_RUN, how="was not submitted", tail=str(error))
            return scripting.finished(run, ended), scripting.reading(run, ended, now)
        return self._jobs.submit(script, run, text, output, now)


def _not_started(error: OSError) -> Ended:
    """Why a file that may be run cannot."""
    said = (error.strerror or "it cannot be started").lower()
    hint = {
        "exec format error": "its first line must name what runs it, as #!/bin/sh does",
        "no such file or directory": "what its first line names (#!) is not here; CR line ends?",
    }.get(said)
    tail = f"{said}: {hint}" if hint else said
    return Ended(exit_code=_CANNOT_RUN, how="could not be started", tail=tail)

"""A command, its output and the watcher beside it: the part of the wiring that `trainwatch run` needs.

Like app/wire.py allowed to name adapters. The trap: the process that runs the command hands on its output and
does nothing else; whatever may fail, hang or take time is the watcher's.
"""

import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.adapters.running import (
    Beside,
    Command,
    Ended,
    LogFile,
    Sink,
    Stream,
    Terminal,
    keep_streams_apart,
)
from trainwatch.app import clock
from trainwatch.app.running.minding import Minder
from trainwatch.app.running.news import End
from trainwatch.core.errors import UsageError

if TYPE_CHECKING:
    from trainwatch.app.config import RunSettings
    from trainwatch.app.daemon import Daemon
    from trainwatch.app.wire import Recorder, Site
    from trainwatch.core.model.marks import Mark
    from trainwatch.core.ports import Log

NOT_FOUND, NOT_RUNNABLE = 127, 126  # as shells, env and timeout say it
_TALK_BYTES, _TALK_PATIENCE_S = 64 * 1024, 1.0
_LINGER_S = 5.0  # after the main process ended, until it is said that others write on
_SAID_AFTER_S = 3.0
_PATIENCE_S = 80.0  # for the watcher's last words: messages may take a minute
_STEP_S = 0.05
_NICENESS = 10  # the watcher's: the training comes first

# What tells the watcher which command is meant: its main process, when and where its output began.
Meant = tuple[int, float, int]


def execute(argv: Sequence[str], log: Path, watcher: Callable[[Meant], Sequence[str]]) -> int:
    """Run a command to its end, and return its exit code as a shell would tell it.

    Its output goes to `log` and to ours. `watcher` is the command line of what watches beside it. Raises
    UsageError for a log that cannot be written; then nothing is started.
    """
    keep_streams_apart()
    voice = Sink(Stream(2, lambda _: None), most_bytes=_TALK_BYTES, patience_s=_TALK_PATIENCE_S)
    say = partial(_say, voice)
    try:
        file = LogFile(log, say)
    except OSError as error:
        raise UsageError(
            f"{log} cannot be written: {error.strerror}; choose another: --log"
        ) from error
    try:
        command = Command(argv, Terminal())
    except OSError as error:
        say(f"{argv[0]} cannot be started: {error.strerror}")
        voice.finish()
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
    meant = (command.pid, clock.now(), file.offset)
    say(
        f"watching {argv[0]} (process {command.pid}); its output is kept in {log}. From another terminal: "
        f"trainwatch tui {shlex.quote(str(log))}"
    )
    minder = Minder(lambda: Beside(watcher(meant)), say, clock.elapsed)
    kept, shown = Sink(file), Sink(Stream(1, say, elsewhere=f"; it is in {log}"))
    ended = _follow(command, (kept, shown), partial(_Beats(command, minder, file, say)), minder)
    shown.finish()
    kept.finish()
    if file.missing_bytes:
        say(f"the last {file.missing_bytes:,} bytes of output are missing in {log}: {file.trouble}")
    _part(minder, ended, command, say)
    voice.finish()
    return ended.code


def _follow(
    command: Command, sinks: Sequence[Sink], beat: Callable[[], None], minder: Minder
) -> Ended:
    def take(data: bytes) -> None:
        for sink in sinks:
            sink.put(data)

    return command.follow(take, beat, lambda pid, status: minder.gone(pid, _in_words(status)))


class _Beats:
    """What is done once a second while the command runs."""

    def __init__(
        self, command: Command, minder: Minder, file: LogFile, say: Callable[[str], None]
    ) -> None:
        self._command, self._minder, self._file, self._say = command, minder, file, say
        self._over_at: float | None = None
        self._said = False

    def __call__(self) -> None:
        main = _news(self._command.ended) if self._command.is_over else None
        self._minder.beat(self._file.trouble, main)
        if main is None or self._said:
            return
        self._over_at = clock.elapsed() if self._over_at is None else self._over_at
        if clock.elapsed() - self._over_at >= _LINGER_S:
            self._said = True
            self._say(
                "its main process ended, and others that it started still hold its output: they are "
                "followed until they end; ctrl+c ends that"
            )


def _part(minder: Minder, ended: Ended, command: Command, say: Callable[[str], None]) -> None:
    """Let the watcher say how it ended. It goes on by itself if somebody does not want to wait."""
    minder.end(_news(ended))
    began, said = clock.elapsed(), False
    while minder.watches and clock.elapsed() - began < _PATIENCE_S and not command.is_left:
        command.heed_children(lambda pid, status: minder.gone(pid, _in_words(status)))
        clock.wait(_STEP_S)
        if not said and clock.elapsed() - began > _SAID_AFTER_S:
            said = True
            say("the watcher notes the end and tells people; ctrl+c leaves it to itself")


def _news(ended: Ended) -> End:
    return End(exit_code=ended.exit_code, signal=ended.signal, asked=ended.asked)


def _in_words(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _say(voice: Sink, text: str) -> None:
    voice.put(f"trainwatch: {text}\n".encode())


def watch_beside(site: "Site", run: "RunSettings", meant: Meant, record: "Recorder | None") -> None:
    """The watcher: looks at the command of our parent until that is over. For a process of its own."""
    from trainwatch.adapters.processes import Tree
    from trainwatch.adapters.tail import Follower
    from trainwatch.app.running.news import News
    from trainwatch.app.running.ownlog import OwnLog
    from trainwatch.app.running.source import Processes
    from trainwatch.app.running.watching import watch
    from trainwatch.app.wire import hints

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are the command's; we end when it is over
    os.nice(_NICENESS)
    main, began_at, offset = meant
    news, interval_s = News(), site.settings.poll_interval_s
    tree = Tree(os.getppid(), main, began_at=began_at, offset=offset)
    source = Processes(run.name or Path(run.log).stem, tree.look, news, every_s=interval_s)

    def follow(path: Path, mark: "Mark | None") -> "Log":
        return OwnLog(Follower(path, mark, offset), lambda: news.log)

    def begin() -> "Daemon":
        return site.daemon([run], record, hands=True, follow=follow, more=[source])

    watch(
        begin,
        source,
        news,
        sys.stdin.buffer,
        interval_s=interval_s,
        hints=hints,
        say=lambda text: print(f"trainwatch: {text}", file=sys.stderr),  # noqa: T201 - a process's talk
    )

"""The command: a process group of its own, read until the last of it has closed its output.

The trap: children outlive their parent and write on. Whoever goes away then kills them with SIGPIPE, so we
stay, as `tee` does, until they end or somebody asks us to go.
"""

import ctypes
import errno
import fcntl
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

from trainwatch.adapters.running.terminal import Terminal

PASSED_ON = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
_LEAVE = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_PIPE_BYTES = 1024 * 1024
_READ_BYTES = 256 * 1024
_BEAT_S = 1.0
_ADOPT = 36  # PR_SET_CHILD_SUBREAPER


class Ended(NamedTuple):
    """How the main process ended, and the last signal that we passed on to it."""

    exit_code: int | None
    signal: int | None
    asked: int | None

    @property
    def code(self) -> int:
        """As a shell tells it."""
        return 128 + self.signal if self.signal is not None else self.exit_code or 0


class Command:
    """Started at once; `follow` reads it to its end. For the main thread, before there are others."""

    def __init__(self, argv: Sequence[str], terminal: Terminal) -> None:
        """Raises OSError where it cannot be started."""
        self._terminal = terminal
        _adopt_orphans()
        self._output, theirs = _channel(terminal)
        try:
            self.pid = os.posix_spawnp(
                argv[0],
                list(argv),
                os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, theirs, n) for n in (1, 2)],
                setpgroup=0,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # which Python ignores
            )
        finally:
            os.close(theirs)
        self._status: int | None = None
        self._asked: int | None = None
        self._leaves = False
        self._wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._heed_signals()
        if terminal.has_keyboard and terminal.has_screen:
            terminal.give(self.pid)

    @property
    def ended(self) -> Ended:
        """How its main process ended, as far as it did."""
        if self._status is None:
            return Ended(None, None, self._asked)
        code = os.waitstatus_to_exitcode(self._status)
        return Ended(None if code < 0 else code, -code if code < 0 else None, self._asked)

    @property
    def is_left(self) -> bool:
        """Whether somebody asked us to go, after its main process ended."""
        return self._leaves

    @property
    def is_over(self) -> bool:
        """Whether its main process ended."""
        return self._status is not None

    def follow(
        self,
        take: Callable[[bytes], None],
        beat: Callable[[], None],
        gone: Callable[[int, int], None],
    ) -> Ended:
        """Hand on what it writes until it is over.

        `beat` is called about once a second, `gone` with each other child of ours that ended, and its status.
        """
        poll, fds = select.poll(), {self._output, self._wake[0]}
        for fd in fds:
            poll.register(fd, select.POLLIN)
        beaten, writes = 0.0, True
        while (writes or not self.is_over) and not self._leaves:
            ready = {fd for fd, _ in poll.poll(_BEAT_S * 1000)}
            if self._output in ready and writes:
                data = self._read()
                if data:
                    take(data)
                else:
                    writes = False
                    poll.unregister(self._output)
            if self._wake[0] in ready:
                self.heed_children(gone)
            if not 0 <= time.monotonic() - beaten < _BEAT_S:
                beaten = time.monotonic()
                self._fit()
                self.heed_children(gone)
                beat()
        os.close(self._output)
        self._terminal.take_back()
        return self.ended

    def _read(self) -> bytes:
        try:
            return os.read(self._output, _READ_BYTES)
        except OSError as error:
            if error.errno == errno.EIO:  # a terminal that nobody has open any more
                return b""
            raise

    def _fit(self) -> None:
        if self._terminal.fit():
            self._send(signal.SIGWINCH)

    def heed_children(self, gone: Callable[[int, int], None]) -> None:
        """See which of our children ended or were stopped; `gone` is as in `follow`."""
        with suppress(BlockingIOError):
            while os.read(self._wake[0], 4096):
                pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid != self.pid:
                if not os.WIFSTOPPED(status):
                    gone(pid, status)
            elif os.WIFSTOPPED(status):
                self._terminal.heed_stop(pid, os.WSTOPSIG(status))
            else:
                self._status = status

    def _heed_signals(self) -> None:
        """What is ignored (nohup) stays so."""
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        for number in PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._pass_on)
        if signal.getsignal(signal.SIGTSTP) is not signal.SIG_IGN:
            signal.signal(signal.SIGTSTP, lambda number, _: self._send(number))

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        self._asked = number if not self.is_over else self._asked
        self._leaves = self._leaves or (self.is_over and number in _LEAVE)
        self._send(number)

    def _send(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _channel(terminal: Terminal) -> tuple[int, int]:
    """Where its output comes from, and what it is given for that. Raises OSError."""
    if terminal.has_screen:
        with suppress(OSError):  # no more of them are to be had: it is no terminal then
            return terminal.second()
    ours, theirs = os.pipe2(os.O_CLOEXEC)
    with suppress(OSError):  # beyond what this user may have
        fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return ours, theirs


def _adopt_orphans() -> None:
    """What outlives its parent becomes our child, so that it is still seen whose it was. Linux only."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)

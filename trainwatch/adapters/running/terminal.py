"""The terminal that we were started in: the command is given it as a shell would give it.

The command has its keyboard as it is, and ctrl+c goes to the command's process group by itself. Its output
goes through a second terminal, so that progress bars are drawn, and the log holds what was drawn. The trap:
the window's size is told to the group that has the keyboard, which is not ours then. So it is looked at.
"""

import fcntl
import os
import pty
import signal
import struct
import termios
from contextlib import suppress

_KEYBOARD, _SCREEN = 0, 1
_SIZE = struct.Struct("HHHH")


class Terminal:
    """Standard input and output, where they are terminals."""

    def __init__(self) -> None:
        self.has_screen = os.isatty(_SCREEN)
        self.has_keyboard = os.isatty(_KEYBOARD)
        self._given = False
        self._master: int | None = None
        self._size = b""

    def second(self) -> tuple[int, int]:
        """Another terminal of the same size, that changes nothing of what is written: (ours, the command's).

        Raises OSError where there is none to be had.
        """
        ours, theirs = pty.openpty()
        for number in (ours, theirs):
            os.set_inheritable(number, False)
        modes = termios.tcgetattr(theirs)
        modes[1] &= ~termios.OPOST  # ours ends lines as a terminal needs it
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        self._master = ours
        self.fit()
        return ours, theirs

    def fit(self) -> bool:
        """Make the second one as large as the first; True if that changed."""
        if self._master is None:
            return False
        with suppress(OSError):
            size = fcntl.ioctl(_SCREEN, termios.TIOCGWINSZ, bytes(_SIZE.size))
            if size != self._size:
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
                self._size = size
                return True
        return False

    def give(self, group: int) -> bool:
        """Give the keyboard to a process group, if it is ours to give."""
        with suppress(OSError):
            if self.has_keyboard and os.tcgetpgrp(_KEYBOARD) in (os.getpgrp(), group):
                os.tcsetpgrp(_KEYBOARD, group)
                self._given = True
                return True
        return False

    def take_back(self) -> None:
        """Take it back. Whoever is not in the foreground is stopped for that, unless SIGTTOU is ignored."""
        if self._given:
            self._given = False
            with suppress(OSError):
                os.tcsetpgrp(_KEYBOARD, os.getpgrp())

    def heed_stop(self, group: int, number: int) -> None:
        """The command was stopped: by ctrl+z, or since it reads a keyboard that it was not given.

        One that somebody stopped by hand goes on by hand: we do not stop, or nobody would read its output.
        """
        if number not in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU) or not self.has_keyboard:
            return
        if number == signal.SIGTSTP or not self.give(group):
            self.take_back()
            os.kill(os.getpid(), signal.SIGSTOP)  # until the shell lets us go on
            self.give(group)
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)

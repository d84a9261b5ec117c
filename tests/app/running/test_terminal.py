"""A command on a real terminal: progress bars, ctrl+c, the window's size, the keyboard, ctrl+z."""

import signal
import sys
from pathlib import Path

import pytest

from tests.app.running.driving import OnTerminal, driver, python


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "run.log"


BAR = r"""
import sys
print(*(each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr)), flush=True)
print("50%\r100%\x1b[K", file=sys.stderr)
"""


def test_a_progress_bar_sees_a_terminal_and_the_log_what_it_wrote(log: Path) -> None:
    command = OnTerminal(driver(log, python(BAR)))
    assert command.wait() == 0
    assert b"True True True\r\n50%\r100%\x1b[K\r\n" in command.got
    assert log.read_bytes() == b"True True True\n50%\r100%\x1b[K\n"


# The second comes as soon as the first word is on the terminal: what it does is set before that.
TELLS = """
import signal, sys, time
def told(*_):
    signal.signal(signal.SIGINT, lambda *_: sys.exit(9))
    print("first", flush=True)
signal.signal(signal.SIGINT, told)
print("ready", flush=True)
while True:
    time.sleep(1)
"""


def test_ctrl_c_and_the_second_ctrl_c_reach_the_command(log: Path) -> None:
    command = OnTerminal(driver(log, python(TELLS)))
    command.until(b"ready")
    command.type(b"\x03")
    command.until(b"first")
    command.type(b"\x03")
    assert command.wait() == 9


def test_ctrl_c_ends_what_does_not_care_for_it(log: Path) -> None:
    command = OnTerminal(driver(log, ["sh", "-c", "echo ready; exec sleep 100"]))
    command.until(b"ready")
    command.type(b"\x03")
    assert command.wait() == 128 + signal.SIGINT


def test_the_keyboard_is_the_commands(log: Path) -> None:
    command = OnTerminal(driver(log, python("print('hello', input('name? '))")))
    command.until(b"name? ")
    command.type(b"you\n")
    command.until(b"hello you")
    assert command.wait() == 0
    assert log.read_bytes().endswith(b"name? hello you\n")


SIZES = """
import os, signal, time
def tell(*_):
    print("size", *os.get_terminal_size(1), flush=True)
signal.signal(signal.SIGWINCH, tell)
tell()
while True:
    time.sleep(1)
"""


def test_the_command_is_told_the_size_of_the_window(log: Path) -> None:
    command = OnTerminal(driver(log, python(SIZES)))
    command.until(b"size 0 0")
    command.resize(33, 99)
    command.until(b"size 99 33")
    command.resize(24, 80)
    command.until(b"size 80 24")
    command.type(b"\x03")
    assert command.wait() == 128 + signal.SIGINT


def in_a_shell(log: Path, text: str, behind: str = "") -> OnTerminal:
    """A shell with job control, in which the command was just typed."""
    python, _, program, *_ = driver(log, [])
    script = log.parent / "drive.py"
    script.write_text(program)
    shell = OnTerminal(["bash", "--norc", "--noprofile", "-i"])
    shell.type(f"{python} {script} 5 {log} sh -c '{text}'{behind}\n".encode())
    return shell


# It is ready when the keyboard is its own: ctrl+z in the moment before is lost with a stop that is lifted.
READER = """
import os
while os.tcgetpgrp(0) != os.getpgrp():
    pass
print("ready")
print("got", input())
"""


def test_ctrl_z_stops_it_and_fg_lets_it_go_on(log: Path) -> None:
    (log.parent / "reader.py").write_text(READER)
    shell = in_a_shell(log, f"exec {sys.executable} {log.parent / 'reader.py'}")
    shell.until(b"ready")
    shell.type(b"\x1a")
    shell.until(b"Stopped")
    shell.type(b"echo shell $((40+2))\n")
    shell.until(b"shell 42")
    shell.type(b"fg\n")
    shell.type(b"keys\n")
    shell.until(b"got keys")
    shell.type(b"exit 7\n")
    assert shell.wait() == 7


def test_a_pipeline_on_a_terminal_hears_ctrl_c(log: Path) -> None:
    shell = in_a_shell(log, 'echo re""ady; exec sleep 100', behind=" | cat")
    shell.until(b"ready\r\n")
    shell.type(b"\x03")
    shell.type(b"echo later $((40+3))\n")
    shell.until(b"later 43")
    shell.type(b"exit 7\n")
    assert shell.wait() == 7


def test_a_pipeline_on_a_terminal_may_read_the_keyboard(log: Path) -> None:
    shell = in_a_shell(log, 'echo re""ady; read x; echo got $x', behind=" | cat")
    shell.until(b"ready\r\n")
    shell.type(b"keys\n")
    shell.until(b"got keys")
    shell.type(b"exit 7\n")
    assert shell.wait() == 7

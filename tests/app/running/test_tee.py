"""Output, exit codes and signals of a command that is run for somebody: nothing is changed or lost."""

import hashlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.running.driving import begin, python, read_until, run
from tests.waiting import until

MB = 1024 * 1024


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "run.log"


# output


def test_every_byte_is_handed_on_and_kept(log: Path, tmp_path: Path) -> None:
    data = os.urandom(3 * MB) + bytes(range(256)) + b"10%\r20%\r\x1b[K\xff\n\r\n no line end"
    (tmp_path / "data").write_bytes(data)
    ran = run(log, "cat", str(tmp_path / "data"))
    assert ran.code == 0
    assert ran.out == data
    assert ran.log == data


def test_errors_stand_among_the_output_as_they_were_written(log: Path) -> None:
    ran = run(log, "sh", "-c", "echo a; echo b >&2; echo c")
    assert ran.out == ran.log == b"a\nb\nc\n"


def test_a_log_is_appended_to(log: Path) -> None:
    log.write_bytes(b"before\n")
    assert run(log, "echo", "after").log == b"before\nafter\n"


def test_a_line_that_was_cut_off_stays_a_line_of_its_own(log: Path) -> None:
    log.write_bytes(b"before, and ki")
    assert run(log, "echo", "after").log == b"before, and ki\nafter\n"


def test_what_is_typed_reaches_the_command_at_once_and_so_does_its_answer(log: Path) -> None:
    with begin(log, "sh", "-c", "printf 'name? '; read name; echo hello $name") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert read_until(process.stdout.fileno(), b"name? ") == b"name? "  # no line end, no wait
        process.stdin.write(b"you\n")
        assert process.stdout.read() == b"hello you\n"
    assert log.read_bytes() == b"name? hello you\n"


def test_millions_of_lines_lose_nothing(log: Path) -> None:
    expected = hashlib.sha256(b"".join(b"%d\n" % n for n in range(1, 1_000_001))).hexdigest()
    ran = run(log, "seq", "1000000")
    assert hashlib.sha256(ran.out).hexdigest() == expected
    assert hashlib.sha256(ran.log).hexdigest() == expected


MANY = """
import subprocess, sys
one = "import os\\nfor _ in range(20000): os.write(1, b'x')"
started = [subprocess.Popen([sys.executable, "-c", one]) for _ in range(4)]
[each.wait() for each in started]
"""


def test_single_bytes_of_many_processes_lose_nothing(log: Path) -> None:
    ran = run(log, *python(MANY))
    assert ran.out == ran.log == b"x" * 80_000


# exit codes


@pytest.mark.parametrize("code", [0, 1, 3, 130, 255])
def test_the_exit_code_is_the_commands(log: Path, code: int) -> None:
    assert run(log, "sh", "-c", f"exit {code}").code == code


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV", "INT", "HUP"])
def test_a_signal_is_told_as_shells_do(log: Path, name: str) -> None:
    ran = run(log, "sh", "-c", f"kill -{name} $$")
    assert ran.code == 128 + getattr(signal, f"SIG{name}")


def test_a_command_that_cannot_be_started(log: Path, tmp_path: Path) -> None:
    ran = run(log, "no-such-command")
    assert (ran.code, ran.err) == (
        127,
        "trainwatch: no-such-command cannot be started: No such file or directory\n",
    )
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert run(log, str(script)).code == 126


# signals

TELLS = """
import signal, sys, time
def told(number, _):
    print("got", signal.Signals(number).name, flush=True)
    if number == signal.SIGUSR2:
        sys.exit(7)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
    signal.signal(getattr(signal, name), told)
print("ready", flush=True)
while True:
    time.sleep(1)
"""


def test_signals_are_passed_on_each_time(log: Path) -> None:
    with begin(log, *python(TELLS)) as process:
        assert process.stdout is not None
        out = process.stdout.fileno()
        read_until(out, b"ready\n")
        for name in ("SIGINT", "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"):
            process.send_signal(getattr(signal, name))
            assert read_until(out, b"\n") == b"got %s\n" % name.encode()
        process.send_signal(signal.SIGUSR2)
        assert process.wait() == 7


BOTH = """
trap 'echo parent; exit 5' TERM
sh -c 'trap "echo child; exit" TERM; echo ready; while :; do sleep 0.1; done' &
wait; wait
"""


def test_signals_reach_the_whole_group(log: Path) -> None:
    with begin(log, "sh", "-c", BOTH) as process:
        assert process.stdout is not None
        read_until(process.stdout.fileno(), b"ready\n")
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait() == 5
    assert {b"child", b"parent"} <= set(rest.split())


def test_a_command_that_ignores_sigterm_goes_on_and_is_watched_on(log: Path) -> None:
    stubborn = (
        "trap '' TERM; echo $$; echo ready; for i in 1 2 3 4; do sleep 0.2; done; echo done; exit 4"
    )
    with begin(log, "sh", "-c", stubborn) as process:
        assert process.stdout is not None
        read_until(process.stdout.fileno(), b"ready\n")
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == b"done\n"
        assert process.wait() == 4


def test_what_nohup_ignores_stays_ignored(log: Path) -> None:
    text = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    process = begin(
        log, *python(text), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.read() == b"True\n"


def test_the_command_finds_no_signals_as_python_left_them(log: Path) -> None:
    shown = run(log, "grep", "SigIgn", "/proc/self/status").out
    assert int(shown.split()[1], 16) & 0x7FFF_FFFF == 0  # 32 and 33 are the C library's own


# what outlives the command


def test_what_it_left_behind_is_followed_to_its_end(log: Path) -> None:
    ran = run(log, "sh", "-c", "(sleep 1; echo late) & echo early; exit 3")
    assert ran.code == 3
    assert ran.out == ran.log == b"early\nlate\n"


def test_ctrl_c_leaves_what_ignores_it(log: Path) -> None:
    text = "(trap '' INT; echo $$; echo ready; exec sleep 300) & exit 3"
    with begin(log, "setsid", "--wait", "sh", "-c", text) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        pid = int(read_until(process.stdout.fileno(), b"ready\n").split()[0])
        read_until(process.stderr.fileno(), b"others that it started still hold its output")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 3
    subprocess.run(["sh", "-c", f"pkill -P {pid}; kill {pid}"], check=False, capture_output=True)


# where the output cannot go


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=False
    )
    if made.returncode:
        pytest.skip("only root may mount a filesystem of a megabyte")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_ends_nothing(small_disk: Path) -> None:
    log = small_disk / "run.log"
    ran = run(log, "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo end; exit 6")
    assert ran.code == 6
    assert ran.out == b"x" * 3_000_000 + b"end\n"
    assert set(ran.log) == {ord("x")}
    assert f"{log} cannot be written: No space left on device; the command goes on" in ran.err
    lost = 3_000_004 - len(ran.log)
    assert f"the last {lost:,} bytes of output are missing" in ran.err


def test_a_disk_that_has_room_again_goes_on_with_a_mark(small_disk: Path) -> None:
    log, filler = small_disk / "run.log", small_disk / "filler"
    text = "head -c 900000 /dev/zero | tr '\\0' x; echo; echo ready; read go; echo after"
    filler.write_bytes(b"y" * 400_000)
    with begin(log, "sh", "-c", text) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        read_until(process.stdout.fileno(), b"ready\n")
        read_until(process.stderr.fileno(), b"No space left on device")
        filler.unlink()
        process.stdin.write(b"go\n")
        assert process.stdout.read() == b"after\n"
        said = process.stderr.read().decode()
        assert process.wait() == 0
    kept = log.read_bytes()
    first = kept.partition(b"\n")[0]
    lost = 900_007 - len(first)
    mark = f"\n[trainwatch: {lost:,} bytes of output could not be written here]\nafter\n"
    assert kept == first + mark.encode()
    assert f"is written again; {lost:,} bytes are missing in it" in said


def test_a_reader_that_goes_away_ends_nothing(log: Path) -> None:
    text = "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo end; exit 2"
    with begin(log, "sh", "-c", text) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        read_until(process.stdout.fileno(), b"first\n")
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait() == 2
    assert log.read_bytes() == b"first\n" + b"x" * 5_000_000 + b"end\n"
    assert f"Broken pipe; it is in {log}" in said


def test_a_reader_that_does_not_read_holds_nothing_up(log: Path) -> None:
    text = "head -c 40000000 /dev/zero | tr '\\0' x; echo end > over; exit 2"
    with begin(log, "sh", "-c", text, patience_s=0.5, cwd=log.parent) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        until((log.parent / "over").exists, "the command's end")
        until(lambda: log.stat().st_size == 40_000_000, "the whole log")
        shown = len(process.stdout.read())  # it is read again: less is shown
        said = process.stderr.read().decode()
        assert process.wait() == 2
    assert shown < 40_000_000
    assert process.returncode == 2
    assert "the output goes nowhere" not in said


def test_a_slow_reader_loses_nothing(log: Path) -> None:
    with begin(log, "seq", "400000", patience_s=5.0) as process:
        assert process.stdout is not None
        got = b""
        while data := os.read(process.stdout.fileno(), 20_000):
            got += data
        assert process.wait() == 0
    assert got == log.read_bytes() == b"".join(b"%d\n" % n for n in range(1, 400_001))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_closed_stream_is_no_place_for_another_file(log: Path, number: int) -> None:
    closed = begin(log, "sh", "-c", "echo a; exit 3", preexec_fn=lambda: os.close(number))
    with closed as process:
        out, err = process.communicate(timeout=60)
        assert process.wait() == 3
    assert log.read_bytes() == b"a\n"
    assert out == (b"" if number == 1 else b"a\n")
    assert (b"its output is kept in" in err) is (number != 2)

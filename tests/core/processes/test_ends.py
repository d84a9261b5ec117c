"""How a command ended, and what its readings are worth in a recording."""

import pytest

from tests.core.judging import T0
from tests.core.processes.making import HUP, INT, KILL, SEGV, TERM, living, over
from trainwatch.app import recording
from trainwatch.core.model.observations import ProcessReading
from trainwatch.core.processes import end_of, says_the_same


@pytest.mark.parametrize(
    ("seen", "how", "said"),
    [
        ({"exit_code": 0}, "exited", "exit code 0"),
        ({"exit_code": 3}, "crashed", "exit code 3"),
        ({"exit_code": 1, "asked": TERM}, "cancelled", "exit code 1"),
        ({"exit_code": 1, "asked": HUP}, "crashed", "exit code 1"),
        ({"signal": INT}, "cancelled", "killed by SIGINT"),
        ({"signal": TERM}, "killed", "killed by SIGTERM"),
        ({"signal": TERM, "asked": TERM}, "cancelled", "killed by SIGTERM"),
        ({"signal": KILL}, "killed", "killed by SIGKILL"),
        ({"signal": KILL, "oom_kills": 0}, "killed", "killed by SIGKILL"),
        ({"signal": KILL, "oom_kills": 1}, "out-of-memory", "killed by SIGKILL; the kernel ended"),
        ({"exit_code": 137, "oom_kills": 1}, "out-of-memory", "exit code 137, a shell's word for"),
        ({"exit_code": 137}, "killed", "exit code 137, a shell's word for SIGKILL"),
        ({"exit_code": 1, "oom_kills": 1}, "crashed", "exit code 1"),
        ({"signal": HUP}, "killed", "killed by SIGHUP: its terminal went away"),
        ({"signal": HUP, "asked": HUP}, "killed", "killed by SIGHUP: its terminal went away"),
        ({"signal": SEGV}, "crashed", "killed by SIGSEGV"),
        ({"exit_code": 139}, "crashed", "exit code 139, a shell's word for SIGSEGV"),
        ({"exit_code": 255}, "crashed", "exit code 255"),
        ({"signal": 77}, "killed", "killed by signal 77"),
        ({}, "unknown", "its processes are gone, and nobody saw how they ended"),
    ],
)
def test_how_a_command_ended(seen: dict[str, int], how: str, said: str) -> None:
    died = end_of(over(T0 + 9, **seen), living(T0), is_done=False)
    assert died.how == how
    assert died.said.startswith(said)


def test_a_kill_for_memory_that_was_known_before_says_nothing_of_this_end() -> None:
    before = living(T0, oom_kills=2)
    assert end_of(over(T0 + 9, signal=KILL, oom_kills=2), before, is_done=False).how == "killed"
    found = end_of(over(T0 + 9, signal=KILL, oom_kills=3), before, is_done=False)
    assert found.how == "out-of-memory"


def test_exit_code_0_at_the_target_is_complete() -> None:
    assert end_of(over(T0, exit_code=0), None, is_done=True).how == "completed"
    assert end_of(over(T0, exit_code=1), None, is_done=True).how == "crashed"


def test_a_reading_survives_a_recording() -> None:
    seen = living(T0, offset=7, oom_kills=0)
    assert recording.parse(recording.line(seen)) == seen


@pytest.mark.parametrize(
    ("raw", "alive"),
    [
        (b'{"at": 1.0, "processes": {}}', None),
        (b'{"at": 1.0, "processes": {"alive": false, "exit_code": 1, "what": 2}}', False),
    ],
)
def test_keys_of_a_recording_are_optional(raw: bytes, alive: bool | None) -> None:
    seen = recording.parse(raw)
    assert isinstance(seen, ProcessReading)
    assert seen.alive is alive


def test_only_what_moves_all_the_time_is_not_worth_a_write() -> None:
    assert says_the_same(living(T0 + 15), living(T0))
    assert not says_the_same(living(T0 + 15, zombies=1), living(T0))
    assert not says_the_same(over(T0 + 15), living(T0))
    assert not says_the_same(living(T0), None)

"""Attempts inside one run: restarts, rollbacks, crash loops, resumes, other frameworks."""

import pytest

from tests.core.folding import Run
from tests.core.logs.making import iteration, stamped
from tests.core.timeline.logged import DUMP, spans, titan, trained

EXIT = "[exiting program after 1190.03 minutes] datetime: 2024-08-01 10:00:00"
KILLED = (
    "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2024-08-01T10:00:00 DUE TO TIME LIMIT ***"
)


def test_a_run_without_trouble_is_one_attempt() -> None:
    run = Run([*DUMP, *trained(1, 10)])
    assert spans(run) == [(1, 10, 10, 0)]
    assert run.iterations() == list(range(1, 11))
    assert run.state.high_water == 10
    assert run.state.rows == 9  # the newest is open


def test_a_restart_with_a_dump() -> None:
    run = Run([*DUMP, *trained(1, 5), *DUMP, *trained(4, 8, loss=2.5)])
    assert spans(run) == [(1, 5, 5, 0), (4, 8, 5, 2)]
    assert run.iterations() == [1, 2, 3, 4, 5, 4, 5, 6, 7, 8]
    assert run.attempts_of_iterations() == [0] * 5 + [1] * 5
    assert [a.reason for a in run.attempts] == ["first lines", "world size"]
    assert run.kinds().count("attempt-began") == 2


def test_a_restart_that_repeats_the_very_same_losses() -> None:
    run = Run([*DUMP, *trained(1, 5), *DUMP, *trained(4, 8)])
    assert spans(run) == [(1, 5, 5, 0), (4, 8, 5, 2)]


def test_a_rollback_without_a_word() -> None:
    run = Run([*trained(1, 10), *trained(6, 12, loss=2.5)])
    assert spans(run) == [(1, 10, 10, 0), (6, 12, 7, 5)]
    assert run.attempts[1].reason == "rollback"


def test_a_step_back_that_is_printed_later_is_no_copy() -> None:
    """Trained again with the same losses to the last digit, which says nothing but that it is exact."""
    first = [iteration(n, prefix=stamped(n, "2024-08-01 09:00:00", 10.0)) for n in range(1, 11)]
    again = [iteration(n, prefix=stamped(n, "2024-08-01 09:30:00", 10.0)) for n in range(6, 10)]
    assert spans(Run([*first, *again])) == [(1, 10, 10, 0), (6, 9, 4, 4)]
    late = [iteration(n, prefix=stamped(n, "2024-08-01 09:00:30", 10.0)) for n in range(6, 10)]
    assert spans(Run([*first, *late])) == [(1, 10, 10, 0)]


def test_a_rollback_to_the_very_beginning() -> None:
    run = Run([*trained(1, 10), *trained(1, 3, loss=2.5)])
    assert spans(run) == [(1, 10, 10, 0), (1, 3, 3, 3)]
    assert run.state.high_water == 10


def test_a_crash_loop_never_gets_further() -> None:
    loop = [line for n in range(4) for line in (*DUMP, *trained(5, 7, loss=3.0 + n))]
    run = Run([*DUMP, *trained(1, 7), *loop])
    assert spans(run) == [(1, 7, 7, 0), *[(5, 7, 3, 3)] * 4]
    assert run.state.high_water == 7


def test_a_crash_loop_that_reaches_nothing() -> None:
    run = Run([*DUMP, *trained(1, 3), *[*DUMP, "ValueError: no data"] * 3])
    assert [(a.tally.records, a.fault is not None) for a in run.attempts] == [
        (3, False),
        (0, True),
        (0, True),
        (0, True),
    ]


def test_two_dumps_before_the_first_iteration_are_two_starts_of_one_process_only() -> None:
    """Each line of a dump comes once from an attempt: its second coming is another attempt."""
    run = Run([*DUMP, *DUMP, *trained(1, 3)])
    assert [a.tally.records for a in run.attempts] == [0, 2]


def test_a_resume_after_an_exit_with_a_dump() -> None:
    run = Run([*DUMP, *trained(1, 5), EXIT, *DUMP, *trained(6, 9)])
    assert spans(run) == [(1, 5, 5, 0), (6, 9, 4, 0)]


@pytest.mark.parametrize("end", [EXIT, KILLED])
def test_a_resume_long_after_an_end_without_a_dump(end: str) -> None:
    before = [iteration(n, prefix=stamped(n, "2024-08-01 09:50:00", 60.0)) for n in range(1, 6)]
    after = [iteration(n, prefix=stamped(n, "2024-08-01 20:00:00", 60.0)) for n in range(6, 9)]
    run = Run([*before, end, *after])
    assert spans(run) == [(1, 5, 5, 0), (6, 8, 3, 0)]
    assert run.attempts[1].reason == "resumed"


def test_lines_that_were_held_back_come_after_the_end() -> None:
    before = [iteration(n, prefix=stamped(n, "2024-08-01 09:59:00", 5.0)) for n in range(1, 12)]
    run = Run([*before[:-1], KILLED, before[-1]])
    assert spans(run) == [(1, 11, 11, 0)]


def test_without_stamps_one_line_after_an_end_is_late_and_more_are_a_new_start() -> None:
    assert len(Run([*trained(1, 5), EXIT, *trained(6, 6)]).attempts) == 1
    assert spans(Run([*trained(1, 5), EXIT, *trained(6, 12)])) == [(1, 6, 6, 0), (7, 12, 6, 0)]


def test_array_jobs_are_attempts_with_ids_of_their_own() -> None:
    log = []
    for job, first in ((682842, 1), (682843, 5), (682844, 9)):
        notice = KILLED.replace("JOB 77", f"JOB {job}")
        log += [*DUMP, *trained(first, first + 3), notice]
    run = Run(log)
    assert [a.job_id for a in run.attempts] == ["682842", "682843", "682844"]
    assert spans(run) == [(1, 4, 4, 0), (5, 8, 4, 0), (9, 12, 4, 0)]


def test_a_log_that_changes_framework_half_way() -> None:
    started = "[titan] 2025-11-25 19:44:00,000 - root - INFO - Starting job: again"
    run = Run([*DUMP, *trained(1, 5), started, *titan(1, 4)])
    assert [a.format for a in run.attempts] == ["megatron-lm", "torchtitan"]
    assert spans(run) == [(1, 5, 5, 0), (1, 4, 4, 4)]


def test_a_log_that_changes_framework_without_a_word() -> None:
    run = Run([*trained(1, 5), *titan(1, 4)])
    assert [a.format for a in run.attempts] == ["megatron-lm", "torchtitan"]


def test_a_version_of_the_same_family_may_change_at_a_restart() -> None:
    core = [iteration(n, prefix=stamped(n)) for n in range(6, 9)]
    run = Run([*DUMP, *trained(1, 5), *DUMP, *core])
    assert [a.format for a in run.attempts] == ["megatron-lm", "megatron-core"]

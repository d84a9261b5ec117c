"""Crashes whose log names no node: the scheduler's answers and its books do."""

from tests.core.judging import T0, Judged, running
from trainwatch.core.model.observations import AccountingReading, AttemptEnd

MIN = 60.0
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"
SRUN = "srun: error: r7i6n2: task 3: Out Of Memory"


def _attempt(run: Judged, job_id: str, *nodes: str, end: str = ILLEGAL) -> Judged:
    """A job on these nodes that starts, and dies."""
    run.queue(running(job_id, start=run.at, nodes=nodes)).wait(2 * MIN)
    run.read([STARTUP, end]).wait(2 * MIN)
    return run.queue()


def _books(run: Judged, job_id: str, start: float, *nodes: str, state: str = "FAILED") -> None:
    ended = AttemptEnd(
        job_id=job_id, state=state, exit_code="1:0", start=start, end=run.at, nodes=nodes
    )
    run.see(AccountingReading(at=run.at, state="ok", ended=(ended,)))


def _finding(run: Judged, rule: str, key: str = "") -> tuple[str, str, dict[str, str]]:
    (found,) = [
        a.finding for a in run.memory.book.alarms if (a.finding.rule, a.finding.key) == (rule, key)
    ]
    return found.summary, found.advice, found.labels


def test_a_crash_names_the_allocation_where_its_line_names_no_node() -> None:
    run = Judged().queue(running("7", start=T0, nodes=("r1i0n0", "r1i1n0", "r1i2n0")))
    run.train(1, 40).read(ILLEGAL).wait(10 * MIN)
    summary, _, labels = _finding(run, "crash")
    assert "(crashed) on r1i0n0,r1i1n0,r1i2n0, and" in summary
    assert labels == {}


def test_a_node_that_the_log_names_is_the_one() -> None:
    run = Judged().queue(running("7", start=T0, nodes=("r7i6n1", "r7i6n2")))
    run.train(1, 40).read(SRUN).wait(10 * MIN)
    summary, _, labels = _finding(run, "crash")
    assert "on r7i6n2, and" in summary
    assert labels == {"node": "r7i6n2"}


def test_what_the_books_tell_later_is_added_and_told_once() -> None:
    run = Judged().train(1, 40).read(ILLEGAL).wait(10 * MIN)
    before = _finding(run, "crash")[0]
    assert "(crashed), and" in before
    _books(run, "7", T0, "n1", "n2", state="NODE_FAIL")
    run.wait(5 * MIN)
    assert "(crashed) on n[1-2], and" in _finding(run, "crash")[0]
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "crash"]
    assert alarm.finding.evidence[-1] == "job 7 on n[1-2]: NODE_FAIL, exit 1:0"
    assert run.told("crash") == ["firing"]


def test_a_long_list_of_nodes_is_counted() -> None:
    nodes = tuple(f"r{n}i{n % 3}n{n * 7 % 5}" for n in range(48))
    run = Judged().queue(running("7", start=T0, nodes=nodes)).train(1, 40)
    run.read(ILLEGAL).wait(10 * MIN)
    assert "on 48 nodes, and" in _finding(run, "crash")[0]


def test_a_loop_names_the_node_that_was_in_all_of_it() -> None:
    run = Judged().queue(running("1", start=T0, nodes=("n1", "n2"))).train(1, 40)
    run.read("exiting program after 10 minutes").queue().wait(10 * MIN)
    for task, other in enumerate(("n1", "n3", "n4", "n5")):
        _attempt(run, f"7_{task}", other, "r7i6n2").wait(10 * MIN)
    summary, advice, labels = _finding(run, "crash-loop")
    assert summary.endswith("; r7i6n2 was in all 4 of them")
    assert advice == "Hold the job, then submit it again with --exclude=r7i6n2."
    assert labels["exclude"] == "--exclude=r7i6n2"


def test_a_loop_on_the_same_nodes_each_time_names_none() -> None:
    run = Judged().train(1, 40)
    for task in range(4):
        _attempt(run, f"7_{task}", "n1", "n2").wait(10 * MIN)
    summary, advice, labels = _finding(run, "crash-loop")
    assert "n1" not in summary
    assert (advice, labels) == ("Hold the job before it starts again.", {})


def test_the_next_job_in_the_queue_is_not_where_the_last_attempt_ran() -> None:
    run = Judged().train(1, 40)
    for task, nodes in enumerate((("n1", "bad"), ("n2", "bad"), ("n3", "bad"))):
        _attempt(run, f"7_{task}", *nodes).wait(10 * MIN)
    run.queue(running("7_9", start=run.at, nodes=("n8", "n9"))).wait(5 * MIN)
    assert _finding(run, "crash-loop")[0].endswith("; bad was in all 3 of them")


def test_submissions_that_wrote_nothing_name_their_node() -> None:
    run = Judged().train(1, 40).wait(60 * MIN)
    for job_id, other in (("8", "n1"), ("9", "n2")):
        run.wait(5 * MIN)
        _books(run, job_id, run.at - 20, other, "bad")
    run.wait(MIN)
    summary, advice, labels = _finding(run, "crash-loop", "unstarted")
    assert summary.endswith("; bad was in all 2 of them")
    assert "--exclude=bad" in advice
    assert labels["node"] == "bad"

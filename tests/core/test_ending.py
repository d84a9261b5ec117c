"""How attempts end: the first cause counts, what follows from it does not, and what was caught is none."""

import pytest

from tests.core.folding import Run
from tests.core.logs.making import iteration, stamped

DUMP = [
    "using world size: 16, data-parallel-size: 1",
    "------------------------ arguments ------------------------",
]
TRAINED = [iteration(n) for n in range(1, 6)]

COMPLETED = "[after training is done] datetime: 2024-08-01 10:00:00"
EXITED = "[exiting program after 1190.03 minutes] datetime: 2024-08-01 10:00:00"
NOTICE = "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2024-08-01T10:00:00{} ***"
STEP = "slurmstepd: error: *** STEP 77.0 ON n1 CANCELLED AT 2024-08-01T10:00:00{} ***"
TIME_LIMIT = NOTICE.format(" DUE TO TIME LIMIT")
OOM_KILL = (
    "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=77.batch. Some of your processes"
)
CUDA_OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB."
TIMEOUT = (
    "[rank0]:[E1218] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)"
)
NCCL = "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled system error"
ABORTED = "srun: Job step aborted: Waiting up to 62 seconds for job step to finish."
NODE_FAILURE = "srun: error: Node failure on n7"
ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
TERMINATE = "terminate called after throwing an instance of 'c10::Error'"
VALUE_ERROR = "ValueError: no such thing"
SIGNAL_15 = (
    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 2 got signal: 15"
)

# name -> (what follows the last iteration, how the attempt ended, what kind of fault is shown for it)
ENDS: dict[str, tuple[list[str], str | None, str | None]] = {
    "nothing is said": ([], None, None),
    "completed": ([COMPLETED], "completed", None),
    "exited": ([EXITED], "exited", None),
    "SIGTERM": (["exiting program after receiving SIGTERM."], "exited", None),
    "kill switch": (["[Detected kill switch at /x. Exiting]"], "exited", None),
    "interval": (
        ["[exiting program at iteration 5] datetime: 2024-08-01 10:00:00"],
        "exited",
        None,
    ),
    "time limit": ([TIME_LIMIT], "time-limit", None),
    "time limit of the step alone": ([STEP.format(" DUE TO TIME LIMIT")], "time-limit", None),
    "cancelled": ([NOTICE.format("")], "cancelled", None),
    "preempted": ([NOTICE.format(" DUE TO PREEMPTION")], "preempted", None),
    "requeued": ([NOTICE.format(" DUE TO JOB REQUEUE")], "preempted", None),
    "node failure, says Slurm": (
        [STEP.format(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")],
        "node-failure",
        None,
    ),
    "node failure, says srun": ([NODE_FAILURE, ABORTED], "node-failure", "node-failure"),
    "out of memory, says Slurm": ([OOM_KILL], "out-of-memory", "out-of-memory"),
    "out of memory on the GPU": ([CUDA_OOM], "out-of-memory", "cuda-out-of-memory"),
    "crashed": ([VALUE_ERROR], "crashed", "exception"),
    "killed": ([ABORTED], "killed", None),
    "killed by a signal": ([SIGNAL_15], "killed", None),
    "failed run of a benchmark": (
        [':::MLLOG {"key": "run_stop", "metadata": {"status": "aborted"}}'],
        "crashed",
        None,
    ),
    # a cause and what follows from it
    "one rank out of memory, the others time out": (
        [CUDA_OOM, TIMEOUT, TERMINATE, NCCL, ABORTED],
        "out-of-memory",
        "cuda-out-of-memory",
    ),
    "the cascade is printed first": (
        [TIMEOUT, NCCL, CUDA_OOM],
        "out-of-memory",
        "cuda-out-of-memory",
    ),
    "nothing but a cascade": ([TIMEOUT, NCCL, TERMINATE], "crashed", "collective-timeout"),
    "the first of two causes": ([ECC, VALUE_ERROR], "crashed", "ecc"),
    "errors while processes are being stopped": ([ECC, ABORTED, CUDA_OOM], "crashed", "ecc"),
    "errors only while processes are being stopped": ([ABORTED, VALUE_ERROR], "killed", None),
    "terminate, then what it was": ([TERMINATE, f"  what():  {ECC}"], "crashed", "ecc"),
    "a dead node and Slurm's notice": (
        [NODE_FAILURE, ABORTED, STEP.format(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG")],
        "node-failure",
        "node-failure",
    ),
    "crashed, and cancelled by hand hours later": ([ECC, NOTICE.format("")], "crashed", "ecc"),
    "only a cascade, then the time limit": (
        [TIMEOUT, TIME_LIMIT],
        "time-limit",
        "collective-timeout",
    ),
    # several notices: the job's own counts
    "a step cancelled, then the job at its limit": (
        [STEP.format(""), TIME_LIMIT],
        "time-limit",
        None,
    ),
    "the job at its limit, then its step": ([TIME_LIMIT, STEP.format("")], "time-limit", None),
    "two jobs' notices": ([TIME_LIMIT, NOTICE.format("")], "time-limit", None),
    # errors after a clean end are none
    "errors after an exit": ([EXITED, VALUE_ERROR, TIMEOUT, ABORTED], "exited", None),
    "errors after completion": (
        [COMPLETED, "Fatal Python error: Aborted", NCCL],
        "completed",
        None,
    ),
    "errors before an exit": ([VALUE_ERROR, EXITED], "exited", None),
    "errors after Slurm's notice": (
        [TIME_LIMIT, SIGNAL_15, VALUE_ERROR, TIMEOUT],
        "time-limit",
        None,
    ),
    "Slurm ends a job whose run is over": ([COMPLETED, TIME_LIMIT], "completed", None),
    "a benchmark's run is over at run_stop": (
        [':::MLLOG {"key": "run_stop", "metadata": {"status": "success"}}', TIME_LIMIT],
        "completed",
        None,
    ),
    "an exit, then completion": ([EXITED, COMPLETED], "exited", None),
    # warnings end nothing
    "warnings": (
        ["NCCL WARN x", "NVRM: Xid 64", "slurmstepd: error: container_p_join"],
        None,
        None,
    ),
    "advice": (["For debugging consider passing CUDA_LAUNCH_BLOCKING=1."], None, None),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_end(name: str) -> None:
    lines, end, kind = ENDS[name]
    status = Run([*DUMP, *TRAINED, *lines]).status()
    assert len(status.attempts) == 1
    attempt = status.attempts[0]
    assert attempt.end == end
    assert (attempt.cause or "").split(":")[0] == (kind or "")


@pytest.mark.parametrize("name", [n for n, (_, end, _) in ENDS.items() if end])
def test_an_attempt_that_reached_nothing_failed(name: str) -> None:
    lines, end, _ = ENDS[name]
    attempt = Run([*DUMP, *lines]).status().attempts[0]
    assert attempt.end == ("completed" if end == "completed" else "failed")


@pytest.mark.parametrize("name", [n for n, (_, end, _) in ENDS.items() if end])
def test_an_end_is_of_its_attempt_only(name: str) -> None:
    lines, end, _ = ENDS[name]
    run = Run([*DUMP, *TRAINED, *lines, *DUMP, *(iteration(n) for n in range(6, 9))])
    assert [a.end for a in run.status().attempts] == [end, None]


def test_an_attempt_that_just_stops_ended_nobody_knows_how() -> None:
    run = Run([*DUMP, *TRAINED, *DUMP, *TRAINED])
    assert [a.end for a in run.status().attempts] == ["unknown", None]


CAUGHT = [VALUE_ERROR, TIMEOUT, ABORTED, CUDA_OOM, "KeyError: 'x'"]


@pytest.mark.parametrize("line", CAUGHT)
def test_what_training_goes_on_after_was_no_end(line: str) -> None:
    run = Run([*DUMP, *TRAINED, line, *(iteration(n) for n in range(6, 9))])
    attempt = run.status().attempts[0]
    assert (attempt.end, attempt.cause) == (None, None)


@pytest.mark.parametrize("line", CAUGHT)
def test_a_traceback_that_is_caught_during_startup(line: str) -> None:
    run = Run([*DUMP, line, *TRAINED])
    attempt = run.status().attempts[0]
    assert (attempt.end, attempt.cause) == (None, None)


def test_a_late_copy_of_a_record_does_not_clear_a_fault() -> None:
    """The lines of slower ranks still come after the fatal one."""
    run = Run([*DUMP, *TRAINED, CUDA_OOM, TRAINED[-1], TRAINED[-2]])
    assert run.status().attempts[0].end == "out-of-memory"


def test_a_fault_during_a_restart_belongs_to_the_new_attempt() -> None:
    run = Run([*DUMP, *TRAINED, EXITED, *DUMP, CUDA_OOM])
    assert [a.end for a in run.status().attempts] == ["exited", "failed"]


def test_a_new_attempt_begins_after_a_fault_even_if_nothing_was_trained() -> None:
    run = Run([*DUMP, CUDA_OOM, *DUMP, CUDA_OOM, *DUMP])
    assert [a.end for a in run.status().attempts] == ["failed", "failed", None]


def test_where_it_happened() -> None:
    nan = "RuntimeError: Rank 55, node g21u01, device 7, iteration 1: Unexpected result nan"
    fault = Run([*DUMP, *TRAINED, nan, TIMEOUT]).attempts[0].fault
    assert fault is not None
    assert (fault.kind, fault.node, fault.rank) == ("nan", "g21u01", 55)


def test_faults_are_counted_and_two_are_told() -> None:
    run = Run([*DUMP, *TRAINED, TIMEOUT, CUDA_OOM, TIMEOUT, CUDA_OOM, CUDA_OOM])
    assert run.attempts[0].faults == 5
    assert [e.text.split(":")[0] for e in run.events if e.kind == "fault"] == [
        "collective-timeout",
        "cuda-out-of-memory",
    ]


def test_the_job_is_known_from_its_notice() -> None:
    assert Run([*DUMP, *TRAINED, TIME_LIMIT]).status().attempts[0].job_id == "77"
    assert Run([*DUMP, *TRAINED, STEP.format("")]).status().attempts[0].job_id == "77"


def test_health_says_how_it_ended() -> None:
    assert Run([*DUMP, *TRAINED, COMPLETED]).status().health == "ok"
    assert Run([*DUMP, *TRAINED, EXITED]).status().health == "warning"
    assert Run([*DUMP, *TRAINED, TIME_LIMIT]).status().health == "warning"
    assert Run([*DUMP, *TRAINED, CUDA_OOM]).status().health == "critical"
    assert Run([*DUMP, CUDA_OOM]).status().health == "critical"
    assert Run([*DUMP, *TRAINED]).status().health == "unknown"  # neither dead nor alive
    assert Run(["words"]).status().health == "unknown"


def test_an_end_is_told_once() -> None:
    run = Run([*DUMP, *TRAINED, TIME_LIMIT, STEP.format(""), TIME_LIMIT, EXITED, COMPLETED])
    assert [k for k in run.kinds() if k in ("slurm", "exit")] == ["slurm", "exit"]


def test_the_time_of_an_end_is_its_stamp() -> None:
    stamps = [iteration(n, prefix=stamped(n)) for n in range(1, 4)]
    run = Run([*DUMP, *stamps, TIME_LIMIT], utc_offset_s=7200.0)
    assert run.events[-1].at == 1722506400.0 - 7200.0

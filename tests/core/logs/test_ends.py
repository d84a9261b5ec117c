"""How the job and Slurm say that it is over."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.logs.reading import at, plainly, read
from trainwatch.core.model.records import Clock, Exit, Fault, Record, SlurmNotice, Torn

EXITS: list[tuple[str, list[Record]]] = [
    (
        "[exiting program at iteration 1500] datetime: 2021-08-08 01:00:51 ",
        [
            Clock(stamp=at("2021-08-08 01:00:51")),
            Exit(
                how="exited",
                why="exit interval reached",
                iteration=1500,
                stamp=at("2021-08-08 01:00:51"),
            ),
        ],
    ),
    (
        "[exiting program after 1190.0357275923093 minutes] datetime: 2021-08-08 01:00:51 ",
        [
            Clock(stamp=at("2021-08-08 01:00:51")),
            Exit(
                how="exited",
                why="exit duration reached",
                after_min=1190.0357275923093,
                stamp=at("2021-08-08 01:00:51"),
            ),
        ],
    ),
    (
        "[default7]:exiting program after receiving SIGTERM.",
        [Exit(how="exited", why="received SIGTERM")],
    ),
    (
        "[Detected kill switch at /ckpt/kill-switch. Exiting]",
        [Exit(how="exited", why="kill switch")],
    ),
    ("[after training is done] datetime", [Exit(how="completed", why="training is done")]),
    (
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
        [Exit(how="completed", why="training completed")],
    ),
    ("exiting program as soon as possible", []),
    ("  kill_switch_path: Detected kill switch would be reported", []),
]


def notice(
    why: str, node: str = "r6i4n3", *, step: bool = False, job: str = "1809655"
) -> SlurmNotice:
    return SlurmNotice(
        job_id=job,
        why=why,  # type: ignore[arg-type]
        node=node,
        step=step,
        stamp=at("2021-05-24 09:50:34"),
    )


_AT = "CANCELLED AT 2021-05-24T09:50:34"
SLURM: list[tuple[str, list[Record]]] = [
    (
        f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO TIME LIMIT ***",
        [notice("time-limit")],
    ),
    (f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} ***", [notice("cancelled")]),
    (
        f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO PREEMPTION ***",
        [notice("preempted")],
    ),
    (
        f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO JOB REQUEUE ***",
        [notice("preempted")],
    ),
    (
        f"slurmstepd: error: *** STEP 1809655.0 ON r6i4n3 {_AT} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        [notice("node-failure", step=True)],
    ),
    (
        f"slurmstepd: error: *** STEP 1809655.batch ON r6i4n3 {_AT} ***",
        [notice("cancelled", step=True)],
    ),
    # an array task and a heterogeneous job
    (f"slurmstepd: error: *** JOB 1809655_4 ON r6i4n3 {_AT} ***", [notice("cancelled")]),
    (
        f"slurmstepd: error: *** STEP 1809655+1.0 ON r6i4n3 {_AT} ***",
        [notice("cancelled", step=True)],
    ),
    # a reason we have no name for is no scancel: it was ended by something, and that counts as cancelled
    (
        f"[2021-05-24T09:50:35] error: *** JOB 1809655 ON r6i4n3 {_AT} DUE to SIGNAL Terminated ***",
        [notice("cancelled")],
    ),
    # JOB and STEP of two nodes, written into one another at a seam
    (
        f"slurmstepd: error: *** STEP 1809655.0 ON r6i4n3 {_AT} DUE TO TIME LIMIT ***slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO TIME LIMIT ***",
        [notice("time-limit", step=True), notice("time-limit")],
    ),
    # ... and in the middle: what is left of the first says neither when nor why
    (
        f"slurmstepd: error: *** STEP 1809655.0 ON r6islurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO TIME LIMIT ***",
        [notice("time-limit")],
    ),
    ("slurmstepd: error: *** JOB 1809655 ON r6i4n3 CANCELLED", [Torn()]),
    (f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT}", [Torn()]),
    (f"slurmstepd: error: *** JOB 1809655 ON r6i4n3 {_AT} DUE TO TI", [Torn()]),
    ("AT 2021-05-24T09:50:34 DUE TO TIME LIMIT ***", []),
    ("JOB 12 was CANCELLED by its owner", []),
    (
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=9209586.batch. Some of your processes may have been killed by the cgroup out-of-memory handler.",
        [SlurmNotice(job_id="9209586", why="out-of-memory", step=True)],
    ),
    # as newer Slurm writes it
    (
        "slurmstepd: error: Detected 3 oom_kill events in StepId=463531.0. Some of the step tasks have been OOM Killed.",
        [SlurmNotice(job_id="463531", why="out-of-memory", step=True)],
    ),
    (
        "[2026-03-28T14:27:13.072] error: Detected 1 oom_kill event in StepId=10483536.batch. Some of the step tasks have been OOM Killed.",
        [SlurmNotice(job_id="10483536", why="out-of-memory", step=True)],
    ),
    (
        "3: srun: error: Node failure on jean-zay-iam49",
        [Fault(kind="node-failure", role="cause", node="jean-zay-iam49")],
    ),
]


@pytest.mark.parametrize(("line", "expected"), EXITS + SLURM)
def test_a_line(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)

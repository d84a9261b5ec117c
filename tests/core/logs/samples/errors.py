"""What a person says of the lines of runs that failed: who caused it, who only tells of it."""

from tests.core.logs.samples.saying import Said, fault, notice
from trainwatch.core.model.records import Bar, Exit, FreshWeights, SlurmNotice, Torn

ERRORS: Said = {
    1: [notice("1809655", "time-limit", "2021-05-24 09:50:34", "r6i4n3")],
    2: [notice("1809655", "time-limit", "2021-05-24 09:50:34", "r6i4n3", step=True)],
    3: [notice("1809562", "cancelled", "2021-05-23 08:29:53", "r6i5n1")],
    4: [notice("1943824", "node-failure", "2023-03-06 03:17:51", "jean-zay-iam17", step=True)],
    5: [notice("1877080", "preempted", "2026-09-25 10:25:59", "r002")],
    # A bar, the head of a STEP notice, and within it the JOB notice; the STEP's reason is on line 7.
    6: [
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
        Torn(),
        notice("11509447", "preempted", "2026-03-25 10:34:07", "nodeau01"),
    ],
    8: [SlurmNotice(job_id="9209586", why="out-of-memory", step=True)],
    9: [SlurmNotice(job_id="6493531", why="out-of-memory", step=True)],
    10: [fault("out-of-memory", "cause", node="influ2")],
    11: [fault("node-failure", "cause", node="jean-zay-iam49")],
    12: [fault("teardown", "teardown")],
    13: [fault("cuda-out-of-memory", "cause")],
    14: [fault("cuda-out-of-memory", "cause")],
    15: [fault("cuda-out-of-memory", "cause")],
    16: [fault("ecc", "cause")],
    17: [fault("terminate", "cascade")],
    18: [fault("ecc", "cause")],
    19: [fault("terminate", "cascade", speaker="rank3", rank=3)],
    20: [fault("cuda", "cause", speaker="rank3", rank=3)],
    21: [fault("shared-memory", "warning")],
    22: [fault("shared-memory", "cause")],
    23: [fault("collective-timeout", "cascade", speaker="rank0", rank=0)],
    24: [
        Bar(done=23054, total=23316, step_time_s=1 / 2.79, elapsed_s=8567.0),
        fault("collective-timeout", "cascade", rank=1),
    ],
    25: [fault("nccl", "cascade")],
    26: [fault("nccl", "cascade")],
    27: [fault("nccl-warning", "warning")],
    28: [fault("nan", "cause", node="g21u01", rank=55)],
    29: [fault("loss-scale", "cause")],
    30: [fault("resume-mismatch", "cause")],
    31: [fault("no-tracker", "warning")],
    32: [FreshWeights()],
    33: [fault("xid", "warning", node="ip-26-0-147-135")],
    34: [fault("hung-task", "warning")],
    35: [fault("disk-quota", "cause")],
    36: [fault("sync", "warning")],
    37: [fault("sync", "warning")],
    38: [Exit(how="exited", why="kill switch")],
}

"""One queue, as seven versions of squeue tell of it in text; in JSON they are in answers/."""

from tests.core.slurm.answering import rows
from trainwatch.core.model.observations import Job

T = 1795168800.0
ODD = 'a|b  c\n9:x;<y>\x1b[31m "é"'
ARRAY = Job(
    job_id="682842_1",
    array_job_id="682842",
    name="tr11-176B",
    state="RUNNING",
    nodes=("r1i0n0", "r1i0n1", "r2i3n7"),
    time_limit_s=72000.0,
    start=T,
    end=T + 72000,
    submit=T - 9000,
    user="ana",
    account="six@v100",
    partition="gpu_p13",
    node_count=3,
    qos="qos_gpu-t3",
)
QUEUE = (
    ARRAY,
    Job(
        job_id="682842_[2-10%1]",
        array_job_id="682842",
        name="tr11-176B",
        state="PENDING",
        reason="JobArrayTaskLimit",
        time_limit_s=72000.0,
        submit=T - 9000,
        user="ana",
        account="six@v100",
        partition="gpu_p13",
        node_count=3,
        qos="qos_gpu-t3",
    ),
    Job(
        job_id="700000",
        array_job_id="700000",
        name=ODD,
        state="PENDING",
        reason="JobHeldUser",
        time_limit_s=3600.0,
        submit=T - 600,
        user="ana",
        account="six@v100",
        comment="trainwatch a1|b",
        partition="gpu_p13,gpu_p2",
        dependency="afterany:682842_*(unfulfilled)",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700010+1",
        array_job_id="700011",
        name="coupled",
        state="COMPLETING",
        nodes=("login1",),
        time_limit_s=5400.0,
        start=T - 5400,
        end=T - 30,
        submit=T - 6000,
        user="ben",
        account="six@cpu",
        partition="prepost",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700020",
        array_job_id="700020",
        name="evaluate",
        state="REQUEUE_HOLD",
        reason="launch failed requeued held",
        time_limit_s=36000.0,
        submit=T - 7000,
        user="ben",
        account="six@v100",
        partition="gpu_p13",
        node_count=2,
        qos="normal",
    ),
    Job(
        job_id="700030",
        array_job_id="700030",
        name="service",
        state="RUNNING",
        nodes=("login1",),
        start=T - 86400,
        submit=T - 86460,
        user="ana",
        account="six@cpu",
        partition="prepost",
        node_count=1,
        qos="normal",
    ),
    Job(
        job_id="700040",
        array_job_id="700040",
        name="next",
        state="PENDING",
        reason="ReqNodeNotAvail, UnavailableNodes:r1i0n0",
        time_limit_s=72000.0,
        start=T + 7200,
        end=T + 79200,
        submit=T - 100,
        user="ana",
        account="six@v100",
        partition="gpu_p13",
        dependency="singleton(unfulfilled)",
        node_count=3,
        qos="qos_gpu-t3",
    ),
)

# As squeue prints them with our SLURM_TIME_FORMAT; `None` is the text of what is not there.
EPOCHS = (
    "682842_1|682842|tr11-176B|RUNNING|None|r1i0n[0-1],r2i3n7|20:00:00|1795168800|1795240800|1795159800"
    "|ana|six@v100|*|gpu_p13|*|3|qos_gpu-t3",
    "682842_[2-10%1]|682842|tr11-176B|PENDING|JobArrayTaskLimit||20:00:00|N/A|N/A|1795159800"
    "|ana|six@v100|*|gpu_p13|*|3|qos_gpu-t3",
    "700000|700000|ODD|PENDING|JobHeldUser||1:00:00|N/A|N/A|1795168200"
    "|ana|six@v100|COMMENT|gpu_p13,gpu_p2|afterany:682842_*(unfulfilled)|1|normal",
    "700010+1|700011|coupled|COMPLETING|None|login1|1:30:00|1795163400|1795168770|1795162800"
    "|ben|six@cpu|*|prepost|*|1|normal",
    "700020|700020|evaluate|REQUEUE_HOLD|launch failed requeued held||10:00:00|N/A|N/A|1795161800"
    "|ben|six@v100|*|gpu_p13|*|2|normal",
    "700030|700030|service|RUNNING|None|login1|UNLIMITED|1795082400|NONE|1795082340"
    "|ana|six@cpu|*|prepost|*|1|normal",
    "700040|700040|next|PENDING|ReqNodeNotAvail, UnavailableNodes:r1i0n0||20:00:00|1795176000"
    "|1795248000|1795168700|ana|six@v100|*|gpu_p13|singleton(unfulfilled)|3|qos_gpu-t3",
)
# The same of a cluster that prints stamps all the same, an hour east of UTC.
STAMPS = {
    "1795168800": "2026-11-20T11:00:00",
    "1795240800": "2026-11-21T07:00:00",
    "1795159800": "2026-11-20T08:30:00",
    "1795168200": "2026-11-20T10:50:00",
    "1795163400": "2026-11-20T09:30:00",
    "1795168770": "2026-11-20T10:59:30",
    "1795162800": "2026-11-20T09:20:00",
    "1795161800": "2026-11-20T09:03:20",
    "1795082400": "2026-11-19T11:00:00",
    "1795082340": "2026-11-19T10:59:00",
    "1795176000": "2026-11-20T13:00:00",
    "1795248000": "2026-11-21T09:00:00",
    "1795168700": "2026-11-20T10:58:20",
}
# (what of it differs: the word for nothing, whether moments are stamps)
TEXTS = {
    "21.08": ("(null)", True),
    "22.05": ("(null)", False),
    "23.02": ("(null)", False),
    "23.11": ("(null)", False),
    "24.05": ("", False),
    "24.11": ("", False),
    "25.05": ("N/A", False),
}


def as_text(nothing: str, stamped: bool) -> bytes:
    table = []
    for line in EPOCHS:
        row = [nothing if field == "*" else field for field in line.split("|")]
        if stamped:
            row = [STAMPS.get(field, field) for field in row]
        special = {"ODD": ODD, "COMMENT": "trainwatch a1|b"}
        table.append(tuple(special.get(field, field) for field in row))
    return rows(*table)

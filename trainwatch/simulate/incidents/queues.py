"""The queue: nothing behind the running job, waits without an end, a scheduler that does not answer."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.ends import Cancelled
from trainwatch.simulate.faults.queueing import (
    FalselyEmpty,
    LongWait,
    NothingQueued,
    QueueUnknown,
)
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import TR1, TR11

_SHORT = replace(TR11, exit_duration_min=290.0)

QUEUES: Mapping[str, Incident] = {
    "no-successor": Incident(
        numbers=(3,),
        began="2021-08-07T05:06",
        teaches="Say before the job ends that nothing is queued behind it: 82 hours were idle.",
        rules=("no-successor", "not-queued"),
        scenario=replace(
            TR1,
            description="13B exits cleanly after 1190 minutes, and nothing is queued for three days",
            faults=(NothingQueued(attempt=0, hours=79.0),),
            first_iteration=18_000,
            iterations=22_200,
        ),
    ),
    "pending-long": Incident(
        numbers=(8,),
        began="2021-08-20T08:00",
        teaches="A start that moves to the right with each look is worth a word to the administrators.",
        rules=("pending-long",),
        scenario=replace(
            TR1,
            description="13B waits 30 hours for its next start, which is put off again and again",
            faults=(LongWait(attempt=1, hours=30.0),),
            exit_duration_min=290.0,
            first_iteration=18_000,
            iterations=19_500,
        ),
    ),
    "maintenance": Incident(
        numbers=(27,),
        began="2022-03-22T08:00",
        teaches="A wait that a reservation for maintenance explains is shown, and nobody is woken.",
        rules=(),
        scenario=replace(
            TR11,
            description="an emergency maintenance stops 176B and keeps it waiting for 26 hours",
            faults=(
                Cancelled(iteration=10_160),
                LongWait(
                    attempt=1,
                    hours=26.0,
                    reason="ReqNodeNotAvail, Reserved for maintenance",
                    starts_in_s=None,
                    rule="",
                ),
            ),
            first_iteration=10_000,
            iterations=10_250,
        ),
    ),
    "job-held": Incident(
        teaches="A held job is in the queue and will never start by itself.",
        rules=("job-held",),
        also=("pending-long",),
        scenario=replace(
            _SHORT,
            description="the next task of 176B is held, and nobody releases it for nine hours",
            faults=(
                LongWait(
                    attempt=1, hours=9.0, reason="JobHeldUser", starts_in_s=None, rule="job-held"
                ),
            ),
            first_iteration=40_000,
            iterations=40_250,
        ),
    ),
    "queue-unknown": Incident(
        teaches="No answer is neither health nor death: say that the queue cannot be seen.",
        rules=("blind",),
        scenario=replace(
            TR11,
            description="squeue does not answer for five hours while 176B trains on",
            faults=(QueueUnknown(first_h=4.0, hours=5.0),),
            first_iteration=40_000,
            iterations=40_400,
        ),
    ),
    "queue-falsely-empty": Incident(
        teaches="An empty queue is no proof of death while iterations are completed.",
        rules=(),
        scenario=replace(
            TR11,
            description="the login node cannot fork, and squeue shows nothing while 176B trains on",
            faults=(FalselyEmpty(first_h=4.0, hours=1.0),),
            first_iteration=40_000,
            iterations=40_300,
        ),
    ),
}

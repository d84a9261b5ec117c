"""Nothing goes on, and the queue says RUNNING."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.ends import Cancelled, Crash, Hang
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import GLM, OPT, TR11

HANGS: Mapping[str, Incident] = {
    "evaluation-hang": Incident(
        numbers=(32,),
        began="2022-04-30T10:30",
        teaches="A fresh log is no progress: hourly status lines go on through a hang.",
        rules=("stall",),
        scenario=replace(
            TR11,
            description="176B hangs in the evaluation at 45000 in the evening, and again after a restart",
            faults=(Hang(iteration=45_000, phase="evaluate", hours=6.0, times=2),),
            first_iteration=44_700,
            iterations=45_060,
        ),
    ),
    "dataloader-hang": Incident(
        numbers=(34,),
        began="2022-05-17T17:00",
        teaches="A hang between two iterations of the night lasts until the morning.",
        rules=("stall",),
        scenario=replace(
            TR11,
            description="176B hangs on a lock of the data loader for 11 hours",
            faults=(Hang(iteration=58_160, hours=11.0),),
            first_iteration=58_000,
            iterations=58_200,
        ),
    ),
    "hang-until-time-limit": Incident(
        numbers=(23,),
        began="2022-03-03T16:00",
        teaches="Left alone, a hang takes all the time that Slurm gives.",
        rules=("stall",),
        also=("time-limit-margin",),
        scenario=replace(
            TR11,
            description="a test on 48 nodes hangs for the night; Slurm's time limit ends it",
            rampup=None,
            faults=(Hang(iteration=9_180),),
            first_iteration=9_000,
            iterations=9_250,
        ),
    ),
    "startup-hang": Incident(
        numbers=(46,),
        began="2022-05-30T09:00",
        teaches="A restart has a budget, too: no first iteration within it is a stall.",
        rules=("stall", "crash"),
        scenario=replace(
            GLM,
            description="130B crashes, and the next attempt waits for its data for a day",
            faults=(
                Crash(iteration=5_180, cause="illegal-access"),
                Hang(iteration=5_100, phase="startup", hours=26.0),
            ),
            first_iteration=5_000,
            iterations=5_250,
        ),
    ),
    "load-hang": Incident(
        teaches="Loading a checkpoint can hang, as the download of 992 files did.",
        rules=("stall",),
        scenario=replace(
            OPT,
            description="175B is restarted, and loading the checkpoint does not come to an end",
            faults=(
                Cancelled(iteration=12_320),
                Hang(iteration=12_300, phase="load", hours=8.0),
            ),
            first_iteration=12_000,
            iterations=12_400,
        ),
    ),
    "save-hang": Incident(
        teaches="A save that never ends is a stall, and leaves an incomplete checkpoint behind.",
        rules=("stall", "checkpoint-incomplete"),
        also=("checkpoint-overdue",),
        scenario=replace(
            TR11,
            description="176B hangs while it saves",
            faults=(Hang(iteration=46_200, phase="save", hours=5.0),),
            first_iteration=46_000,
            iterations=46_260,
        ),
    ),
    "prolog": Incident(
        teaches="RUNNING is not alive: the nodes' prolog can last for hours, and nothing is printed.",
        rules=("stall",),
        scenario=replace(
            TR11,
            description="176B is restarted, and the queue says RUNNING (Prolog) for five hours",
            faults=(
                Cancelled(iteration=46_150),
                Hang(iteration=46_100, phase="startup", hours=5.0, reason="Prolog"),
            ),
            first_iteration=46_000,
            iterations=46_200,
        ),
    ),
}

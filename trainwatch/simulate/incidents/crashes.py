"""Attempts that end, and those that never begin."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.ends import (
    Cancelled,
    Cause,
    Crash,
    KillSwitch,
    Stillborn,
    Unstarted,
)
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import OPT, TR1, TR11

_ON_96_NODES = replace(TR1.cluster, gpus=384)
_MACHINES: tuple[tuple[int, Cause, int], ...] = (  # iteration, cause, rank
    (12_090, "ecc", 400),
    (12_170, "illegal-access", 12),
    (12_260, "ecc", 871),
    (12_330, "out-of-memory", 77),
    (12_410, "ecc", 640),
    (12_520, "illegal-access", 3),
    (12_610, "ecc", 255),
)

CRASHES: Mapping[str, Incident] = {
    "shared-memory-crash": Incident(
        numbers=(1,),
        began="2021-08-02T20:00",
        teaches="The line that names the cause is worth more than the cascade that follows it.",
        rules=("crash",),
        scenario=replace(
            TR1,
            description="13B dies of a bus error in a data loader after ten hours",
            faults=(Crash(iteration=12_900, cause="bus-error"),),
            first_iteration=11_000,
            iterations=13_000,
        ),
    ),
    "batch-does-not-divide": Incident(
        numbers=(2,),
        began="2021-08-05T09:00",
        teaches="A global batch size that MBS * DP does not divide costs a queue slot each time.",
        rules=("crash", "crash-loop"),
        also=("config-mismatch", "stall"),
        scenario=replace(
            TR1,
            description="13B on 96 nodes never starts: 1024 is no multiple of 2 * 48",
            cluster=_ON_96_NODES,
            clusters=((2, TR1.cluster),),
            faults=(Stillborn(iteration=15_000, cause="batch-size", share=0.25, rank=0, times=2),),
            first_iteration=15_000,
            iterations=15_600,
        ),
    ),
    "crash-loop-same-node": Incident(
        numbers=(7,),
        began="2021-08-12T03:48",
        teaches="An array gives each task the same bad node: hold it, and leave the node out.",
        rules=("crash", "crash-loop"),
        scenario=replace(
            TR1,
            description="13B dies of an ECC error, and the next three tasks at their start on that node",
            faults=(
                Crash(iteration=43_680, cause="ecc", rank=77),
                Stillborn(iteration=43_500, rank=77, times=3),
            ),
            same_nodes=True,
            first_iteration=43_000,
            iterations=44_000,
        ),
    ),
    "crash-loop-before-save": Incident(
        teaches="Attempts that progress but never reach the next save are a loop, too.",
        rules=("crash", "crash-loop"),
        also=("checkpoint-overdue",),
        scenario=replace(
            TR11,
            description="176B dies four times at the same iteration, before it can save",
            faults=(Crash(iteration=30_160, cause="illegal-access", times=4),),
            first_iteration=30_000,
            iterations=30_220,
        ),
    ),
    "inode-quota": Incident(
        teaches="No inodes, no log: every submission fails in seconds, and only accounting tells of it.",
        rules=("crash-loop",),
        also=("crash", "not-queued", "stall"),
        scenario=replace(
            TR11,
            description="176B is stopped, and four submissions fail within seconds without any output",
            faults=(Cancelled(iteration=46_150), Unstarted(iteration=46_100, times=4)),
            first_iteration=46_000,
            iterations=46_200,
        ),
    ),
    "resume-assert": Incident(
        numbers=(16,),
        began="2021-10-11T10:00",
        teaches="A changed learning rate can make the next start impossible.",
        rules=("crash", "crash-loop"),
        also=("resume-mismatch",),
        scenario=replace(
            TR1,
            description="13B is stopped for a change of the learning rate; two starts die of it",
            faults=(
                Cancelled(iteration=20_750),
                Stillborn(iteration=20_700, cause="learning-rate", share=0.8, rank=0, times=2),
            ),
            first_iteration=20_000,
            iterations=21_000,
        ),
    ),
    "crash-before-save": Incident(
        numbers=(26,),
        began="2022-03-21T06:05",
        teaches="What a crash costs is what was trained since the last save: 7.3 hours of 384 GPUs.",
        rules=("crash",),
        scenario=replace(
            TR11,
            description="176B dies two iterations before its checkpoint, saving every 250",
            faults=(Crash(iteration=9_998, cause="ecc", rank=131),),
            rampup=None,
            save_interval=250,
            first_iteration=9_750,
            iterations=10_050,
        ),
    ),
    "launcher-alive": Incident(
        numbers=(30, 35),
        began="2022-05-18T12:00",
        teaches="A fatal line, RUNNING and no iteration: the job never quits by itself.",
        rules=("crash",),
        also=("stall",),
        scenario=replace(
            TR11,
            description="176B crashes, its launcher stays alive, and the queue says RUNNING for hours",
            faults=(Crash(iteration=60_150, cause="ecc", rank=201, lingers_h=4.0),),
            first_iteration=60_000,
            iterations=60_200,
        ),
    ),
    "bad-node-returns": Incident(
        numbers=(42,),
        began="2023-05-19T08:00",
        teaches="A repaired node that is bad still costs a rollback each time it comes back.",
        rules=("crash",),
        also=("crash-loop",),
        scenario=replace(
            TR11,
            description="the same node fails four times within three days (Xid 63)",
            name="m4-80b",
            faults=tuple(
                Crash(iteration=iteration, cause="xid", rank=90)
                for iteration in (21_130, 21_290, 21_460, 21_580)
            ),
            same_nodes=True,
            first_iteration=21_000,
            iterations=21_640,
        ),
    ),
    "many-restarts": Incident(
        numbers=(44,),
        began="2021-11-25T00:00",
        teaches="Two machines a day: each crash is a small one, their rate is the trouble.",
        rules=("crash",),
        also=("crash-loop",),
        scenario=replace(
            OPT,
            description="175B on 992 A100 is restarted seven times within eight hours",
            faults=tuple(
                Crash(iteration=iteration, cause=cause, rank=rank)
                for iteration, cause, rank in _MACHINES
            ),
            first_iteration=12_000,
            iterations=12_660,
        ),
    ),
    "kill-switch": Incident(
        teaches="A kill-switch file that is forgotten stops every next job.",
        rules=("kill-switch",),
        also=("crash-loop", "not-queued"),
        scenario=replace(
            TR11,
            description="176B is stopped, and three attempts exit at once: the kill switch is still there",
            faults=(Cancelled(iteration=46_150), KillSwitch(iteration=46_100, times=3)),
            first_iteration=46_000,
            iterations=46_200,
        ),
    ),
}

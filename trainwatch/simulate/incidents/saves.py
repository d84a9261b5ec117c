"""Checkpoints that are missing, incomplete or too large, and disks that fill."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.core.model.policies import Round
from trainwatch.core.rules.settings import AlertSettings, PurgeRisk
from trainwatch.simulate.faults.beside import DiskFilling
from trainwatch.simulate.faults.ends import Crash
from trainwatch.simulate.faults.saving import Overshot, Oversized, Unread, Unsaved
from trainwatch.simulate.faults.table import Misconfigured
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import TR1, TR11

_TB = 10**12

SAVES: Mapping[str, Incident] = {
    "no-saves": Incident(
        teaches="A run that has stopped to save looks healthy until it crashes.",
        rules=("checkpoint-overdue",),
        scenario=replace(
            TR11,
            description="176B passes three saves without making them",
            faults=(Unsaved(first=36_200, last=36_400),),
            first_iteration=36_000,
            iterations=36_540,
        ),
    ),
    "crash-while-saving": Incident(
        teaches="What is newer than the tracker may be half a checkpoint.",
        rules=("crash", "checkpoint-incomplete"),
        scenario=replace(
            TR11,
            description="the disk is full in the middle of a save of 176B",
            faults=(Crash(iteration=36_200, phase="save", cause="disk-full", rank=0),),
            first_iteration=36_000,
            iterations=36_240,
        ),
    ),
    "checkpoint-bloated": Incident(
        numbers=(6,),
        began="2021-08-10T12:00",
        teaches="A checkpoint has 14 bytes a parameter: 182 GB, and not 400.",
        rules=("checkpoint-size",),
        scenario=replace(
            TR1,
            description="13B saves views with the whole tensors behind them: 400 GB instead of 182",
            faults=(Oversized(first=21_600, factor=400 / 182),),
            first_iteration=20_700,
            iterations=22_900,
        ),
    ),
    "checkpoint-ten-times": Incident(
        teaches="Ten times as large, and the disk is full within days.",
        rules=("checkpoint-size",),
        scenario=replace(
            TR1,
            description="three checkpoints of 13B are ten times too large",
            faults=(Oversized(first=21_600, last=22_200, factor=10.0),),
            first_iteration=20_700,
            iterations=22_900,
        ),
    ),
    "time-limit-margin": Incident(
        teaches="The exit by the clock must leave the time of an iteration, an evaluation and a save.",
        rules=("time-limit-margin", "checkpoint-incomplete"),
        scenario=replace(
            TR11,
            description="176B exits four minutes before the time limit, but a save takes five",
            faults=(Misconfigured(rule="time-limit-margin"),),
            save_s=300.0,
            exit_duration_min=1196.0,
            first_iteration=37_000,
            iterations=37_750,
        ),
    ),
    "purge-risk": Incident(
        teaches="Scratch filesystems remove what was not read for 30 days, in the night when it is due.",
        rules=("purge-risk",),
        alerts=AlertSettings(purge_risk=PurgeRisk(purge_after_days=30)),
        scenario=replace(
            TR11,
            description="a milestone of 176B on scratch was not read for 29 days",
            faults=(Unread(iteration=20_000, age_days=29.0),),
            first_iteration=44_000,
            iterations=44_220,
        ),
    ),
    "round-overshot": Incident(
        teaches="A round is over at its target, and nobody is there at four in the morning to say so.",
        rules=("round-done",),
        scenario=replace(
            TR11,
            description="176B is trained beyond the target of its round, and goes on saving",
            faults=(Overshot(iteration=36_200),),
            rounds=(Round(target=36_200, save_interval=TR11.save_interval),),
            first_iteration=36_000,
            iterations=36_420,
        ),
    ),
    "disk-full-of-cores": Incident(
        numbers=(39,),
        began="2023-03-04T10:00",
        teaches="Days of runway, not a percentage: dozens of core files of 10 GB are in no plan.",
        rules=("disk-full",),
        scenario=replace(
            TR11,
            description="core files and checkpoints fill the disk until somebody makes room",
            name="m4-80b",
            faults=(
                DiskFilling(
                    path="scratch",
                    bytes_total=400 * _TB,
                    bytes_free=46 * _TB,
                    bytes_per_day=18.4 * _TB,
                    cleared_h=20.0,
                    until_h=28.0,
                ),
            ),
            first_iteration=20_000,
            iterations=20_850,
        ),
    ),
}

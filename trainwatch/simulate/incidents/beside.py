"""Beside the training: floods, syncs, scripts, blindness; and changes that were planned."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.beside import Blinded, Flood, ScriptFailing, SyncFailing
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import TR1, TR8, TR11
from trainwatch.simulate.models import A100_192

BESIDE: Mapping[str, Incident] = {
    "log-flood": Incident(
        numbers=(11,),
        began="2021-09-30T08:00",
        teaches="One line that comes thousands of times a minute hides all others.",
        rules=("log-flood",),
        scenario=replace(
            TR8,
            description="a library floods the log of 104B with 3,000 warnings a minute",
            faults=(Flood(first_h=9.0, hours=0.5, lines_a_minute=3_000),),
            first_iteration=6_000,
            iterations=6_220,
        ),
    ),
    "sync-rejected": Incident(
        numbers=(17,),
        began="2021-11-19T06:00",
        teaches="The age of the last push tells; the error may hold a token, which nobody must print.",
        rules=("sync-late",),
        scenario=replace(
            TR1,
            description="the Hub rejects a file of more than 10 MB, and every push after it",
            faults=(
                SyncFailing(
                    route="hub",
                    first_h=6.0,
                    hours=12.0,
                    until_h=20.0,
                    permanent=True,
                    why="Your push was rejected because it contains files larger than 10 MiB. "
                    "fatal: unable to access 'https://user:SECRET@hub.example/run.git/'",
                ),
            ),
            first_iteration=30_000,
            iterations=33_500,
        ),
    ),
    "sync-corrupt": Incident(
        numbers=(18,),
        began="2021-12-31T06:00",
        teaches="A repository breaks quite often, and then nothing arrives any more.",
        rules=("sync-late", "script-failed"),
        scenario=replace(
            TR1,
            description="the repository that logs are pushed from is corrupt for ten hours",
            faults=(
                SyncFailing(
                    route="logs",
                    first_h=6.0,
                    hours=10.0,
                    until_h=19.0,
                    why="error: object file .git/objects/4b/825dc is empty",
                ),
                ScriptFailing(
                    script="cron.hourly/push-logs",
                    first_h=6.0,
                    hours=10.0,
                    until_h=19.0,
                    exit_code=128,
                    why="fatal: loose object 4b825dc (stored in .git/objects/4b/825dc) is corrupt",
                ),
            ),
            first_iteration=30_000,
            iterations=33_300,
        ),
    ),
    "script-never-ends": Incident(
        teaches="A hung script of ours must not block the later ones: each has a deadline.",
        rules=("script-failed",),
        scenario=replace(
            TR11,
            description="a daily `du` over 400 TB does not come to an end",
            faults=(
                ScriptFailing(
                    script="cron.daily/usage",
                    first_h=3.0,
                    hours=4.0,
                    until_h=10.0,
                    exit_code=None,
                    why="",
                ),
            ),
            first_iteration=40_000,
            iterations=40_300,
        ),
    ),
    "watcher-blind": Incident(
        numbers=(36,),
        began="2022-06-12T08:00",
        teaches="A watcher that cannot see says so; what it missed it reads afterwards, and is calm.",
        rules=("blind",),
        scenario=replace(
            TR11,
            description="the log of 176B cannot be read for six hours; training goes on",
            faults=(Blinded(first_h=5.0, hours=6.0, why="main_log.txt: Permission denied"),),
            first_iteration=70_000,
            iterations=70_450,
        ),
    ),
    "planned-node-change": Incident(
        numbers=(37,),
        began="2022-07-04T08:00",
        teaches="Half the nodes and half the speed were planned: a topology change is no alert.",
        rules=(),
        scenario=replace(
            TR11,
            description="176B goes on with 24 instead of 48 nodes: 216 instead of 105 s an iteration",
            clusters=((1, A100_192),),
            exit_duration_min=400.0,
            first_iteration=85_000,
            iterations=85_400,
        ),
    ),
    "held-back-output": Incident(
        numbers=(41,),
        began="2023-05-18T08:00",
        teaches="A launcher that holds output back for 20 minutes is no stall.",
        rules=(),
        scenario=replace(
            TR11,
            description="the launcher holds output back for 20 minutes, then lets all go at once",
            held_back_s=1_200.0,
            exit_duration_min=290.0,
            first_iteration=20_000,
            iterations=20_350,
        ),
    ),
}

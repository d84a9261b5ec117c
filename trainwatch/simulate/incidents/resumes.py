"""An attempt goes on, but not as the last one ended."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.ends import Cancelled
from trainwatch.simulate.faults.saving import ResumeFrom
from trainwatch.simulate.faults.steps import ResumeBump, WrongRate
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import TR8, TR11

_SHORT = replace(TR11, rampup=None, exit_duration_min=290.0)

RESUMES: Mapping[str, Incident] = {
    "adam-step-lost": Incident(
        numbers=(20,),
        began="2022-01-17T20:00",
        teaches="The loss of the first iterations after a resume tells what was not restored.",
        rules=("resume-mismatch",),
        also=("loss-spike", "grad-norm-surge"),
        scenario=replace(
            TR8,
            description="Adam's step is not restored: a small bump after each resume of 104B",
            faults=(ResumeBump(height=0.15),),
            exit_duration_min=500.0,
            first_iteration=12_000,
            iterations=12_400,
        ),
    ),
    "spike-on-restart": Incident(
        numbers=(24,),
        began="2022-03-05T08:00",
        teaches="A spike on every restart is no bad batch but something that a restart changes.",
        rules=("loss-spike",),
        also=("resume-mismatch", "grad-norm-surge"),
        scenario=replace(
            _SHORT,
            description="the loss of a 176B test jumps on every restart",
            faults=(ResumeBump(height=1.5, lasts=25, norm=8.0, rule="loss-spike"),),
            first_iteration=1_000,
            iterations=1_460,
        ),
    ),
    "lr-wrong-after-resume": Incident(
        teaches="The learning rate is continuous over a restart; a jump is a mistake in the arguments.",
        rules=("lr-jump",),
        also=("resume-mismatch", "config-mismatch"),
        scenario=replace(
            TR11,
            description="176B goes on with three times the learning rate, and is stopped hours later",
            faults=(
                Cancelled(iteration=40_150),
                WrongRate(attempt=1, factor=3.0),
                Cancelled(iteration=40_210),
            ),
            first_iteration=40_000,
            iterations=40_300,
        ),
    ),
    "resume-from-older": Incident(
        teaches="An attempt must go on from what the tracker names; older weights cost all since then.",
        rules=("resume-mismatch",),
        scenario=replace(
            TR11,
            description="176B goes on from a checkpoint that is 200 iterations older than the last",
            faults=(
                Cancelled(iteration=40_320),
                ResumeFrom(attempt=1, iteration=40_100),
                Cancelled(iteration=40_330),
            ),
            first_iteration=40_000,
            iterations=40_360,
        ),
    ),
    "random-weights": Incident(
        teaches="`will start from random` is an alert by itself on a run that has checkpoints.",
        rules=("resume-mismatch",),
        also=("lr-jump", "loss-spike", "grad-norm-surge", "throughput-drop"),
        scenario=replace(
            TR11,
            description="176B finds no tracker, starts from random weights, and is stopped hours later",
            faults=(
                Cancelled(iteration=40_220),
                ResumeFrom(attempt=1, iteration=0),
                Cancelled(iteration=70),
            ),
            first_iteration=40_000,
            iterations=40_260,
        ),
    ),
}

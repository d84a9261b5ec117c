"""What iterations measure goes wrong: speed, loss, gradients, skipped iterations."""

from collections.abc import Mapping

from msgspec.structs import replace

from trainwatch.simulate.faults.steps import (
    Divergence,
    NanLoss,
    NormSurge,
    Overflows,
    Slowdown,
    Spike,
)
from trainwatch.simulate.faults.table import Misconfigured
from trainwatch.simulate.incidents.incident import Incident
from trainwatch.simulate.incidents.runs import NOISY, TR1, TR8, TR11
from trainwatch.simulate.models import GPT_104B

NUMBERS: Mapping[str, Incident] = {
    "slow-node": Incident(
        numbers=(31,),
        began="2022-04-28T02:00",
        teaches="Five percent on 384 GPUs for 2,217 iterations are 1,380 GPU-hours.",
        rules=("throughput-drop",),
        also=("slow-node",),
        scenario=replace(
            TR11,
            description="176B falls from 149.1 to 141.1 TFLOPs at 42783: one node is slow",
            faults=(Slowdown(first=42_783, last=43_010, factor=149.1 / 141.1),),
            first_iteration=42_600,
            iterations=43_060,
        ),
    ),
    "noisy-slowdown": Incident(
        teaches="A lasting third less is told from a network whose speed varies by 40 % by the day.",
        rules=("throughput-drop",),
        also=("slow-node",),
        scenario=replace(
            NOISY,
            description="on a shared network, 30 % of the speed are gone for good",
            faults=(Slowdown(first=50_400, last=50_700, factor=1 / 0.7),),
            first_iteration=50_000,
            iterations=50_760,
        ),
    ),
    "spike-heals": Incident(
        teaches="A spike that heals within 30 iterations informs; it does not page.",
        rules=("loss-spike",),
        also=("grad-norm-surge",),
        scenario=replace(
            TR11,
            description="the loss of 176B jumps and is back after 25 iterations",
            faults=(Spike(first=31_200, height=1.2),),
            first_iteration=31_000,
            iterations=31_300,
        ),
    ),
    "spike-to-nan": Incident(
        numbers=(13,),
        began="2021-09-24T18:00",
        teaches="A spike that does not heal is a page: hundreds of iterations were lost to it.",
        rules=("loss-spike", "loss-nan"),
        also=("grad-norm-surge",),
        scenario=replace(
            TR8,
            description="104B jumps from 6.44 to 11.4 at 7000, peaks at 14, stays at 7, ends in NaN",
            final_loss=6.03,
            faults=(
                Divergence(first=7_000, jump=11.4, peak=14.0, plateau=7.0),
                NanLoss(first=7_250),
            ),
            first_iteration=6_800,
            iterations=7_300,
        ),
    ),
    "loss-nan": Incident(
        teaches="Megatron leaves a NaN loss out of its line, and its NaN counter stays 0.",
        rules=("loss-nan",),
        also=("grad-norm-surge",),
        scenario=replace(
            TR11,
            description="the loss of 176B is NaN from one iteration to the next",
            faults=(NanLoss(first=31_200),),
            first_iteration=31_000,
            iterations=31_260,
        ),
    ),
    "grad-norm-surge": Incident(
        teaches="The gradient norm goes before the loss does.",
        rules=("grad-norm-surge", "loss-spike"),
        scenario=replace(
            TR11,
            description="the gradient norm is 15 times the usual, and then the loss goes, too",
            faults=(
                NormSurge(first=31_200, last=31_240, factor=15.0),
                Spike(first=31_212, height=2.0, lasts=80, norm=1.0),
            ),
            first_iteration=31_000,
            iterations=31_340,
        ),
    ),
    "overflow-streak": Incident(
        teaches="Skipped iterations print no loss and train nothing; the loss scale tells why.",
        rules=("overflow-streak",),
        scenario=replace(
            TR8,
            description="fp16 overflows: 22 iterations of 104B are skipped in a row",
            faults=(Overflows(first=7_150, count=22),),
            first_iteration=7_000,
            iterations=7_250,
        ),
    ),
    "wrong-model-size": Incident(
        numbers=(12,),
        began="2021-09-20T09:00",
        teaches="Five experiments trained 58B instead of 104B; the log said so from the start.",
        rules=("config-mismatch",),
        scenario=replace(
            TR8,
            description="104B was asked for, but the MLP kept the width of a smaller model",
            model=replace(GPT_104B, ffn_hidden_size=20_480),
            configured={"parameters": 104e9},
            faults=(Misconfigured(rule="config-mismatch"),),
            first_iteration=0,
            iterations=150,
        ),
    ),
    "wrong-unit": Incident(
        numbers=(21,),
        began="2021-12-05T09:00",
        teaches="Compute throughput, do not believe it: it was printed wrong by 1000x for 8 weeks.",
        rules=("config-mismatch",),
        also=("throughput-drop",),
        scenario=replace(
            TR1,
            description="13B prints its samples per second a thousand times too small",
            printed_rate_factor=1e-3,
            faults=(Misconfigured(rule="config-mismatch"),),
            first_iteration=43_000,
            iterations=44_500,
        ),
    ),
}

"""What a person says of the lines of NeMo, whose bars are its log."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said, fault
from trainwatch.core.model.records import Iteration

NEMO: Said = {
    1: [
        Iteration(
            format="nemo",
            iteration=50,
            target=50,
            elapsed_s=1911.0,
            values={
                "loss": 6.13,
                "consumed_samples": 76800.0,
                "step_time_s": 5.9,
                "val_loss": 6.25,
            },
        )
    ],
    2: [
        Iteration(
            format="nemo",
            iteration=7,
            target=15,
            elapsed_s=379.0,
            values={"loss": 11.5, "consumed_samples": 12288.0, "step_time_s": 49.5},
        )
    ],
    3: [
        Iteration(
            format="nemo",
            iteration=2000,
            target=2000,
            elapsed_s=156294.0,
            values={
                "loss": 0.139,
                "consumed_samples": 256000.0,
                "step_time_s": 68.7,
                "val_loss": 0.212,
            },
        )
    ],
    4: [
        Iteration(
            format="nemo",
            iteration=2000,
            target=603000,
            elapsed_s=3797.0,
            values={
                "loss": 2.6,
                "consumed_samples": 1.28e6,
                "step_time_s": 1.9,
                "val_loss": 2.8,
            },
        )
    ],
    5: [
        Iteration(
            format="nemo",
            speaker="my-full-rank-sft-1",
            stamp=at("2025-12-17 04:54:49.774"),
            iteration=1,
            elapsed_s=4.0,
            values={
                "loss": 0.674,
                "consumed_samples": 128.0,
                "step_time_s": 3.37,
                "samples_per_s": 14.6,
            },
        )
    ],
    6: [
        Iteration(
            format="nemo",
            iteration=16418,
            target=78803,
            elapsed_s=10556.0,
            values={"loss": 3.71, "step_time_s": 1 / 1.56},
        ),
        fault("slurm", "warning"),
    ],
}

"""What a person says of the lines of DeepSpeed itself, and of Megatron under it."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said
from trainwatch.core.model.records import Iteration, Overflow

DEEPSPEED: Said = {
    1: [
        Iteration(
            format="deepspeed",
            stamp=at("2022-08-29 06:58:56.121"),
            iteration=20,
            values={"skipped_in_all": 17.0, "learning_rate": 5e-05},
        )
    ],
    2: [
        Iteration(
            format="deepspeed",
            stamp=at("2022-08-29 06:58:56.176"),
            iteration=20,
            values={"samples_per_s": 227.48090316379353},
        )
    ],
    3: [Overflow(stamp=at("2023-08-02 00:41:17.935"), loss_scale=4194304.0)],
    4: [
        Iteration(
            format="deepspeed",
            stamp=at("2023-08-02 00:41:17.935"),
            iteration=10,
            values={"skipped_in_all": 10.0, "learning_rate": 0.0001},
        )
    ],
    5: [
        Iteration(
            format="deepspeed",
            stamp=at("2023-08-02 00:41:17.936"),
            iteration=10,
            values={"samples_per_s": 222.88787331278564},
        )
    ],
    6: [Overflow(stamp=at("2023-11-07 01:55:08.040"), loss_scale=4096.0)],
    7: [
        Iteration(
            format="deepspeed",
            stamp=at("2023-11-07 01:55:23.711"),
            iteration=10,
            values={"skipped_in_all": 4.0, "learning_rate": 4.99804827338393e-05},
        )
    ],
    8: [
        Iteration(
            format="deepspeed",
            iteration=1,
            values={"loss": 12.7902, "step_time_s": 150.471, "samples_per_s": 6.805},
        )
    ],
    9: [
        Iteration(
            format="megatron-lm",
            iteration=1,
            target=1000,
            values={
                "step_time_s": 150.4713,
                "learning_rate": 1.875e-05,
                "loss": 12.79022,
                "loss_scale": 1024.0,
                "skipped": 0.0,
                "nan_iterations": 0.0,
            },
        )
    ],
}

ARGONNE: Said = {
    1: [
        Iteration(
            format="deepspeed",
            stamp=at("2024-03-07 15:27:02.646"),
            iteration=199,
            values={"samples_per_s": 61.35304005128382},
        )
    ]
}

"""What a person says of the lines of torchtitan, with colours and without."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said
from trainwatch.core.model.records import Fact, Iteration, TrainingBegins, Validation


def titan(speaker: str, stamp: str, step: int, **values: float) -> Iteration:
    return Iteration(
        format="torchtitan", speaker=speaker, stamp=at(stamp), iteration=step, values=values
    )


TITAN_ANSI: Said = {
    1: [
        titan(
            "titan",
            "2026-08-21 10:00:01",
            1,
            loss=12.77955,
            grad_norm=14.1134,
            memory_gib=18.42,
            tokens_per_s_per_gpu=411.0,
            tflops=21.67,
            mfu=0.0087,
        )
    ],
    2: [
        titan(
            "titan",
            "2026-08-21 10:00:10",
            10,
            loss=2.11147,
            grad_norm=4.1048,
            memory_gib=27.39,
            tokens_per_s_per_gpu=6484.0,
            tflops=341.46,
            mfu=0.1366,
        )
    ],
    3: [
        titan(
            "titan",
            "2026-08-21 10:00:40",
            100,
            loss=0.21247,
            grad_norm=1.0501,
            memory_gib=27.39,
            tokens_per_s_per_gpu=6301.0,
            tflops=331.82,
            mfu=0.1327,
        )
    ],
    4: [
        Validation(
            iteration=100,
            stamp=at("2026-08-21 10:02:00"),
            values={"loss": 3.1234, "memory_gib": 27.39, "tokens_per_s_per_gpu": 6001.0},
        )
    ],
}

_STEP_80 = titan(
    "titan",
    "2026-01-16 02:43:24.307",
    80,
    loss=3.0349,
    grad_norm=1.9453,
    memory_gib=69.83,
    tokens_per_s_per_gpu=42475.0,
    tflops=271.62,
    mfu=0.2746,
)
TITAN_PLAIN: Said = {
    1: [
        Fact(key="micro_batch_size", value=8.0),
        Fact(key="global_batch_size", value=64.0),
        Fact(key="seq_length", value=2048.0),
        Fact(key="target_iteration", value=10.0),
    ],
    2: [TrainingBegins(iteration=1, stamp=at("2025-11-25 19:44:58.838"))],
    3: [
        titan(
            "rank0",
            "2025-11-25 19:45:01.441",
            1,
            loss=8.0277,
            grad_norm=1.4604,
            memory_gib=1.21,
            tokens_per_s_per_gpu=5756.0,
            tflops=0.41,
            mfu=0.0004,
        )
    ],
    5: [
        titan(
            "rank0",
            "2025-11-25 19:45:01.496",
            2,
            loss=7.7082,
            grad_norm=1.5585,
            memory_gib=1.34,
            tokens_per_s_per_gpu=301092.0,
            tflops=21.55,
            mfu=0.0218,
        )
    ],
    6: [_STEP_80],
    7: [_STEP_80],
    8: [
        titan(
            "rank0",
            "2025-10-30 20:19:34.362",
            120,
            loss=6.1344,
            grad_norm=0.817,
            memory_gib=52.78,
            tokens_per_s_per_gpu=11222.0,
            tflops=203.19,
            mfu=0.2055,
        )
    ],
    9: [
        titan(
            "rank0",
            "2025-10-30 20:19:48.736",
            130,
            loss=6.0316,
            grad_norm=0.9751,
            memory_gib=52.78,
            tokens_per_s_per_gpu=11399.0,
            tflops=206.39,
            mfu=0.2087,
        )
    ],
}

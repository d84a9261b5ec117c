"""What a person says of the lines of Hugging Face's trainers: transformers, IDEFICS, nanotron."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said, fault, notice
from trainwatch.core.logs.text import NO_YEAR
from trainwatch.core.model.records import Bar, Exit, Iteration, Validation, ValidationBegins

HF: Said = {
    1: [
        Iteration(
            format="hf-trainer",
            iteration=None,
            values={
                "loss": 1.2984,
                "grad_norm": 1.0197371244430542,
                "learning_rate": 8.298066550493735e-08,
                "epoch": 3.0,
            },
        )
    ],
    2: [Exit(how="completed", why="train_runtime")],
    3: [
        Iteration(
            format="hf-trainer",
            iteration=None,
            values={
                "loss": 0.1363,
                "grad_norm": 0.1436,
                "learning_rate": 1.181e-05,
                "entropy": 0.1371,
                "consumed_tokens": 489100.0,
                "mean_token_accuracy": 0.942,
                "epoch": 2.846,
            },
        )
    ],
    4: [Exit(how="completed", why="train_runtime")],
    5: [Bar(done=16, total=16, step_time_s=54.99, elapsed_s=919.0)],
}

IDEFICS: Said = {
    1: [
        Iteration(
            format="idefics",
            iteration=4875,
            target=500000,
            elapsed_s=70170.0,
            values={
                "loss": 3.39,
                "learning_rate": 9.942e-06,
                "consumed_tokens": 1536772503.0,
                "consumed_images": 51264707.0,
                "z_loss": 26.21,
                "per_example_loss": 166.0,
            },
        )
    ],
    2: [
        Iteration(
            format="idefics",
            iteration=2500,
            target=500000,
            elapsed_s=27679.0,
            values={
                "loss": 3.1525,
                "learning_rate": 9.99e-06,
                "consumed_tokens": 788088885.0,
                "consumed_images": 26284370.0,
                "z_loss": 24.66,
                "per_example_loss": 15523.0,
            },
        )
    ],
    3: [ValidationBegins()],
    4: [Validation(iteration=None, values={"loss": 3.0179, "tokens": 4413196.0})],
    6: [fault("node-failure", "cause", node="jean-zay-iam37")],
    7: [fault("teardown", "teardown")],
    8: [notice("1943824", "node-failure", "2023-03-06 03:17:51", "jean-zay-iam17", step=True)],
}

NANOTRON: Said = {
    1: [
        Iteration(
            format="nanotron",
            speaker="DP=0|PP=0|TP=0|",
            stamp=at("2024-01-17 13:47:27"),
            iteration=991,
            target=1000,
            values={
                "consumed_tokens": 634e3,
                "step_time_s": 0.045,
                "tokens_per_s": 14200.0,
                "tokens_per_s_per_gpu": 1780.0,
                "global_batch_size": 20.0,
                "loss": 10.6,
                "learning_rate": 1e-05,
                "tflops": 0.00869,
                "grad_norm": 0.515,
            },
        )
    ],
    2: [
        Iteration(
            format="nanotron",
            speaker="DP=0|PP=0|TP=0",
            stamp=at("2025-10-17 16:31:56"),
            iteration=327281,
            target=378950,
            values={
                "consumed_tokens": 85.8e9,
                "step_time_s": 11.5,
                "tokens_per_s": 22800.0,
                "tokens_per_s_per_gpu": 11400.0,
                "global_batch_size": 64.0,
                "loss": 2.38,
                "learning_rate": 1e-05,
                "tflops": 38.3,
                "grad_norm": 1.25,
            },
        )
    ],
    # 182K tokens/s * 8.79 s = 1.6M: here the batch is counted in tokens.
    3: [
        Iteration(
            format="nanotron",
            speaker="DP=0|TP=0|",
            stamp=at(f"{NO_YEAR}-12-21 01:39:51"),
            iteration=211364,
            target=1500000,
            values={
                "consumed_tokens": 480e9,
                "step_time_s": 8.79,
                "tokens_per_s": 182e3,
                "tokens_per_s_per_gpu": 699.0,
                "tokens_per_iteration": 1.6e6,
                "grad_norm": 0.112,
                "loss": 2.04,
                "learning_rate": 0.0001,
                "tflops": 15.4,
            },
        )
    ],
    4: [
        Iteration(
            format="nanotron",
            speaker="DP=0|TP=0|",
            stamp=at(f"{NO_YEAR}-12-21 01:40:00"),
            iteration=211365,
            target=1500000,
            values={
                "consumed_tokens": 480e9,
                "step_time_s": 8.74,
                "tokens_per_s": 183e3,
                "tokens_per_s_per_gpu": 703.0,
                "tokens_per_iteration": 1.6e6,
                "grad_norm": 0.105,
                "loss": 2.06,
                "learning_rate": 0.0001,
                "tflops": 15.5,
            },
        )
    ],
}

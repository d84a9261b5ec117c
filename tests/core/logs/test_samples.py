"""Every line of every sample log, and what a person says it is. Lines that are not named say nothing.

Written from the samples and from what the formats mean, not from what the parsers give.
"""

from pathlib import Path

import pytest

from tests.core.logs.reading import at, plainly, read
from trainwatch.core.logs.text import NO_YEAR
from trainwatch.core.model.records import (
    Bar,
    Clock,
    Exit,
    Fact,
    Fault,
    FreshWeights,
    Iteration,
    Overflow,
    Record,
    SaveDone,
    SaveStarted,
    SaveTime,
    SlurmNotice,
    Torn,
    TrainingBegins,
    Validation,
    ValidationBegins,
)

Said = dict[int, list[Record]]


def fault(kind: str, role: str, **more: object) -> Fault:
    return Fault(kind=kind, role=role, **more)  # type: ignore[arg-type]


def notice(job_id: str, why: str, stamp: str, node: str, *, step: bool = False) -> SlurmNotice:
    return SlurmNotice(job_id=job_id, why=why, stamp=at(stamp), node=node, step=step)  # type: ignore[arg-type]


def part(name: str, **values: float) -> Iteration:
    return Iteration(format=name, iteration=None, part=True, values=values)


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

ERRORS: Said = {
    1: [notice("1809655", "time-limit", "2021-05-24 09:50:34", "r6i4n3")],
    2: [notice("1809655", "time-limit", "2021-05-24 09:50:34", "r6i4n3", step=True)],
    3: [notice("1809562", "cancelled", "2021-05-23 08:29:53", "r6i5n1")],
    4: [notice("1943824", "node-failure", "2023-03-06 03:17:51", "jean-zay-iam17", step=True)],
    5: [notice("1877080", "preempted", "2026-09-25 10:25:59", "r002")],
    # A bar, the head of a STEP notice, and within it the JOB notice; the STEP's reason is on line 7.
    6: [
        Bar(done=723, total=1602, step_time_s=12.28, elapsed_s=7965.0),
        Torn(),
        notice("11509447", "preempted", "2026-03-25 10:34:07", "nodeau01"),
    ],
    8: [SlurmNotice(job_id="9209586", why="out-of-memory", step=True)],
    9: [SlurmNotice(job_id="6493531", why="out-of-memory", step=True)],
    10: [fault("out-of-memory", "cause", node="influ2")],
    11: [fault("node-failure", "cause", node="jean-zay-iam49")],
    12: [fault("teardown", "teardown")],
    13: [fault("cuda-out-of-memory", "cause")],
    14: [fault("cuda-out-of-memory", "cause")],
    15: [fault("cuda-out-of-memory", "cause")],
    16: [fault("ecc", "cause")],
    17: [fault("terminate", "cascade")],
    18: [fault("ecc", "cause")],
    19: [fault("terminate", "cascade", speaker="rank3", rank=3)],
    20: [fault("cuda", "cause", speaker="rank3", rank=3)],
    21: [fault("shared-memory", "warning")],
    22: [fault("shared-memory", "cause")],
    23: [fault("collective-timeout", "cascade", speaker="rank0", rank=0)],
    24: [
        Bar(done=23054, total=23316, step_time_s=1 / 2.79, elapsed_s=8567.0),
        fault("collective-timeout", "cascade", rank=1),
    ],
    25: [fault("nccl", "cascade")],
    26: [fault("nccl", "cascade")],
    27: [fault("nccl-warning", "warning")],
    28: [fault("nan", "cause", node="g21u01", rank=55)],
    29: [fault("loss-scale", "cause")],
    30: [fault("resume-mismatch", "cause")],
    31: [fault("no-tracker", "warning")],
    32: [FreshWeights()],
    33: [fault("xid", "warning", node="ip-26-0-147-135")],
    34: [fault("hung-task", "warning")],
    35: [fault("disk-quota", "cause")],
    36: [fault("sync", "warning")],
    37: [fault("sync", "warning")],
    38: [Exit(how="exited", why="kill switch")],
}

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

_TR1 = "/gpfsscratch/rech/six/commun/checkpoints/tr1-13B/checkpoints"
MEGATRON_2021: Said = {
    1: [
        Iteration(
            format="megatron-lm",
            iteration=33240,
            target=311541,
            values={
                "consumed_samples": 15019344.0,
                "step_time_s": 23.4914,
                "learning_rate": 9.702e-05,
                "global_batch_size": 1024.0,
                "loss": 2.722675,
                "loss_scale": 32768.0,
                # grad norm 0.000: not measured
                "num_zeros": 0.0,
                "skipped": 0.0,
                "nan_iterations": 0.0,
            },
        )
    ],
    3: [SaveStarted(iteration=33241, path=_TR1)],
    4: [
        SaveStarted(
            iteration=33241,
            stamp=at("2021-08-08 01:00:44.221"),
            path=f"{_TR1}/global_step33241/mp_rank_00_model_states.pt",
        )
    ],
    5: [SaveDone(iteration=33241, path=_TR1)],
    6: [SaveTime(duration_s=57.51453)],
    7: [
        Clock(stamp=at("2021-08-08 01:00:51")),
        Exit(
            how="exited",
            why="exit duration reached",
            after_min=1190.0357275923093,
            stamp=at("2021-08-08 01:00:51"),
        ),
    ],
}

MEGATRON_SAVES: Said = {
    1: [
        Iteration(
            format="megatron-lm",
            speaker="1",
            iteration=1,
            target=508626,
            loss_expected=True,
            values={
                "consumed_samples": 288.0,
                "step_time_s": 440.3526,
                "learning_rate": 0.0,
                "global_batch_size": 288.0,
                "loss_scale": 4294967296.0,
                "skipped": 1.0,
                "nan_iterations": 0.0,
            },
        )
    ],
    2: [SaveStarted(iteration=1, path="/fsx/checkpoints")],
    3: [SaveDone(iteration=1, path="/fsx/checkpoints")],
    5: [SaveTime(duration_s=81.61182)],
    6: [SaveStarted(iteration=1, path="./checkpoints/gpt-2")],
    7: [SaveDone(iteration=1, path="./checkpoints/gpt-2")],
    9: [SaveTime(duration_s=21.02708)],
    13: [Validation(iteration=2, values={"loss": 11.029, "ppl": 61635.99})],
    15: [
        SaveDone(iteration=50, path="/nemo_run/checkpoints"),
        SaveTime(duration_s=24.89513),
    ],
}


def core(stamp: str, number: int, target: int, **values: float) -> Iteration:
    return Iteration(
        format="megatron-core",
        stamp=at(stamp),
        iteration=number,
        target=target,
        values=values,
        loss_expected="loss" not in values,
    )


MEGATRON_CORE: Said = {
    1: [
        core(
            "2024-08-01 09:44:55",
            1,
            5,
            consumed_samples=32.0,
            step_time_s=3.9027,
            tflops=0.2,
            learning_rate=6e-05,
            global_batch_size=32.0,
            loss_scale=4294967296.0,
            skipped=1.0,
            nan_iterations=0.0,
        )
    ],
    4: [Fact(key="parameters", value=0.05e9)],
    8: [
        core(
            "2024-08-01 09:44:56",
            2,
            5,
            consumed_samples=64.0,
            step_time_s=0.6894,
            tflops=1.0,
            learning_rate=6e-05,
            global_batch_size=32.0,
            loss_scale=2147483648.0,
            skipped=1.0,
            nan_iterations=0.0,
        )
    ],
    9: [
        Clock(stamp=at("2024-08-01 09:44:58")),
        Exit(how="completed", why="training is done", stamp=at("2024-08-01 09:44:58")),
    ],
    10: [
        core(
            "2024-04-06 03:02:12",
            71,
            100,
            consumed_samples=9088.0,
            step_time_s=5.3616,
            tflops=243.6,
            learning_rate=1.42e-05,
            global_batch_size=128.0,
            loss=1.818812,
            load_balancing_loss=1.013377,
            loss_scale=1.0,
            grad_norm=1.3,
            num_zeros=0.0,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    11: [
        core(
            "2024-04-06 03:02:18",
            72,
            100,
            consumed_samples=9216.0,
            step_time_s=5.4707,
            tflops=238.7,
            learning_rate=1.44e-05,
            global_batch_size=128.0,
            loss=1.820313,
            load_balancing_loss=1.019612,
            loss_scale=1.0,
            grad_norm=1.305,
            num_zeros=0.0,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    12: [
        core(
            "2024-04-06 03:02:24",
            73,
            100,
            consumed_samples=9344.0,
            step_time_s=5.8299,
            tflops=224.0,
            learning_rate=1.46e-05,
            global_batch_size=128.0,
            loss=1.798953,
            load_balancing_loss=1.010977,
            loss_scale=1.0,
            grad_norm=1.539,
            num_zeros=0.0,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    13: [
        core(
            "2025-08-01 09:31:44",
            1,
            5000,
            consumed_samples=128.0,
            step_time_s=33.186,
            tflops=91.0,
            learning_rate=6.976744e-08,
            global_batch_size=128.0,
            loss=10.45013,
            loss_scale=1.0,
            grad_norm=35.543,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    14: [
        core(
            "2025-08-01 09:32:10",
            2,
            5000,
            consumed_samples=256.0,
            step_time_s=25.8792,
            tflops=116.7,
            learning_rate=1.395349e-07,
            global_batch_size=128.0,
            loss=10.4456,
            loss_scale=1.0,
            grad_norm=35.57,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    15: [
        core(
            "2025-09-05 16:08:14",
            1,
            2000,
            consumed_samples=128.0,
            step_time_s=79.4899,
            tflops=18.0,
            learning_rate=2.999998e-05,
            global_batch_size=128.0,
            loss=2.605958,
            z_loss=10.91659,
            mtp_1_loss=2.828435,
            loss_scale=1.0,
            grad_norm=0.258,
            skipped=0.0,
            nan_iterations=0.0,
        )
    ],
    16: [
        core(
            "2026-05-28 13:01:07.645545",
            50,
            45776,
            consumed_samples=25600.0,
            step_time_s=0.2636,
            tflops=177.2,
            learning_rate=1.092267e-04,
            global_batch_size=512.0,
            loss=8.184724,
            loss_scale=1.0,
            grad_norm=1.128,
            skipped=0.0,
            nan_iterations=0.0,
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

OLMO_COMPOSER_FAIRSEQ: Said = {
    1: [
        Iteration(
            format="olmo",
            stamp=at("2024-04-17 09:42:38"),
            iteration=2,
            target=739328,
            values={},
        )
    ],
    2: [part("olmo", loss=10.73)],
    4: [part("olmo", consumed_tokens=8388608.0)],
    5: [part("olmo", tokens_per_s_per_gpu=45538.0)],
    6: [part("olmo", step_time_s=1 / 0.0869)],
    7: [part("olmo", peak_gpu_memory_mb=43309.0)],
    # The fifth batch of the five of an epoch: how many epochs there will be is not said.
    8: [Iteration(format="composer", iteration=5, values={})],
    10: [part("composer", loss=8.4213)],
    12: [part("composer", step_time_s=1 / 0.0027)],
    13: [part("composer", samples_per_s=2.733)],
    14: [part("composer", tokens_per_s=20082.8418)],
    15: [part("composer", tokens_per_s_per_gpu=1255.1776)],
    16: [
        Iteration(
            format="fairseq",
            stamp=at("2021-03-08 12:32:33"),
            iteration=None,
            values={
                "loss": 16.446,
                "tokens_per_s": 288.7,
                "tokens_per_iteration": 16384.0,
                "global_batch_size": 8.0,
                "step_time_s": 16384 / 288.7,
            },
        )
    ],
    17: [Overflow(stamp=at("2024-02-29 07:59:01"), loss_scale=32.0)],
}


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

# file -> (lines it has, what its lines say)
SAMPLES: dict[str, tuple[int, Said]] = {
    "deepspeed.log": (9, DEEPSPEED),
    "error_signatures.log": (38, ERRORS),
    "hf_trainer_v4_and_v5.log": (5, HF),
    "m4_idefics.log": (8, IDEFICS),
    "megatron_2021_dsonline_pulse_mix.log": (10, MEGATRON_2021),
    "megatron_checkpoint_minmax_srunlabel.log": (15, MEGATRON_SAVES),
    "megatron_core_2024_2026.log": (16, MEGATRON_CORE),
    "megatron_deepspeed_argonne.log": (1, ARGONNE),
    "nanotron_old_and_new.log": (4, NANOTRON),
    "nemo_lightning_tqdm.log": (6, NEMO),
    "olmo_composer_fairseq.log": (17, OLMO_COMPOSER_FAIRSEQ),
    "torchtitan_ansi.GENERATED_from_format_string.log": (4, TITAN_ANSI),
    "torchtitan_plain_rankprefix.log": (9, TITAN_PLAIN),
}
LINES = [(name, number) for name, (count, _) in SAMPLES.items() for number in range(1, count + 1)]


@pytest.mark.parametrize(("name", "number"), LINES)
def test_a_line_is_what_a_person_says_it_is(shared_logs: Path, name: str, number: int) -> None:
    lines = (shared_logs / "samples" / name).read_bytes().splitlines(keepends=True)
    expected = SAMPLES[name][1].get(number, [])
    assert plainly(read(lines[number - 1])) == plainly(expected)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_the_sum_of_its_lines(shared_logs: Path, name: str) -> None:
    said = [record for number in sorted(SAMPLES[name][1]) for record in SAMPLES[name][1][number]]
    assert plainly(read((shared_logs / "samples" / name).read_bytes())) == plainly(said)


def test_every_line_of_every_sample_is_in_the_table(shared_logs: Path) -> None:
    found = {
        path.name: len(path.read_bytes().splitlines())
        for path in (shared_logs / "samples").iterdir()
    }
    assert found == {name: count for name, (count, _) in SAMPLES.items()}

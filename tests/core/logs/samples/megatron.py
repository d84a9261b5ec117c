"""What a person says of the lines of Megatron-LM and Megatron Core, 2021 to 2026."""

from tests.core.logs.reading import at
from tests.core.logs.samples.saying import Said
from trainwatch.core.model.records import (
    Clock,
    Exit,
    Fact,
    Iteration,
    SaveDone,
    SaveStarted,
    SaveTime,
    Validation,
)

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

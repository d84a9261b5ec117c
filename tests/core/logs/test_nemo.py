"""NeMo and Lightning: metrics behind a bar, NeMo 2's lines, and bars that count something else."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.logs.reading import at, only, plainly, read
from trainwatch.core.model.records import Exit, Iteration, Record, SaveDone, Validation

BAR = "Epoch 0: : 100%|██████████| 50/50 [31:51<00:00, reduced_train_loss=6.130, global_step=50.0, consumed_samples=76800.0, train_step_timing in s=5.900, val_loss=6.250]"
VALUES = {"loss": 6.13, "consumed_samples": 76800.0, "step_time_s": 5.9, "val_loss": 6.25}


def bar(iteration: int, target: int | None, elapsed_s: float, **values: float) -> Iteration:
    return Iteration(
        format="nemo", iteration=iteration, target=target, elapsed_s=elapsed_s, values=values
    )


LINES: list[tuple[str, Iteration]] = [
    (BAR, bar(50, 50, 1911.0, **VALUES)),
    (BAR + "some text of another rank", bar(50, 50, 1911.0, **VALUES)),
    (BAR + BAR.replace("Epoch 0: :", "Validation DataLoader 0:"), bar(50, 50, 1911.0, **VALUES)),
    # digits are lost in global_step: the bar has them
    (
        BAR.replace("global_step=50.0", "global_step=2e+3").replace("50/50", "2049/603000"),
        bar(2049, 603000, 1911.0, **VALUES),
    ),
    (
        BAR.replace("reduced_train_loss=6.130", "reduced_train_loss=nan.0"),
        bar(50, 50, 1911.0, **{**VALUES, "loss": math.nan}),
    ),
    (
        BAR.replace("reduced_train_loss=6.130", "reduced_train_loss=-inf."),
        bar(50, 50, 1911.0, **{**VALUES, "loss": -math.inf}),
    ),
    (
        BAR.replace("reduced_train_loss=6.130", "reduced_train_loss=nan"),
        bar(50, 50, 1911.0, **{**VALUES, "loss": math.nan}),
    ),
    # without a timing of its own the bar's rate is the step time, whichever way round
    (
        "Epoch 0:  21%|██▌   | 16418/78803 [2:55:56<11:08:31,  1.56it/s, v_num=m7ey, train_loss_step=3.710]",
        bar(16418, 78803, 10556.0, loss=3.71, step_time_s=1 / 1.56),
    ),
    (
        "Epoch 0:  21%|██▌   | 12/99 [01:40<11:31,  8.40s/it, v_num=, loss=3.710]train_loss",
        bar(12, 99, 100.0, loss=3.71, step_time_s=8.4),
    ),
    # from the second epoch on the bar begins anew
    (
        "Epoch 2:  20%|██▌   | 3/15 [06:19<07:13, reduced_train_loss=11.50, global_step=33.00, train_step_timing in s=49.50]",
        bar(33, None, 379.0, loss=11.5, step_time_s=49.5),
    ),
    (
        "Epoch 1: : 7it [00:35,  5.0s/it, v_num=d3c7, reduced_train_loss=0.674, global_step=107.0, train_step_timing in s=3.370]",
        bar(107, None, 35.0, loss=0.674, step_time_s=3.37),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_bar(line: str, expected: Iteration) -> None:
    assert plainly(read(line)) == plainly([expected])


def test_bars_are_separated_by_carriage_returns() -> None:
    bars = "\r".join(BAR.replace("50/50", f"{n}/50") for n in (1, 2, 3))
    assert [r.iteration for r in read("\r" + bars) if isinstance(r, Iteration)] == [1, 2, 3]


NEMO2 = "Training epoch 0, iteration 9/100 | lr: 1.5e-06 | global_batch_size: 128 | global_step: 9 | reduced_train_loss: 6.265 | train_step_timing in s: 12.22 | tokens_per_sec_per_gpu: 1.073e+04 | TFLOPS_per_GPU: 1.249e+03 | consumed_samples: 1280 | val_loss: 2.861 | val_ppl: 17.57"
NEMO2_VALUES = {
    "learning_rate": 1.5e-06,
    "global_batch_size": 128.0,
    "loss": 6.265,
    "step_time_s": 12.22,
    "tokens_per_s_per_gpu": 10730.0,
    "tflops": 1249.0,
    "consumed_samples": 1280.0,
    "val_loss": 2.861,
}


@pytest.mark.parametrize(
    ("frame", "speaker", "stamp"),
    [
        ("", "", None),
        ("0: ", "0", None),
        ("[2025-11-20T14:55:23+08:00] retraining/0 ", "", at("2025-11-20 14:55:23")),
    ],
)
def test_nemo_2_counts_from_0(frame: str, speaker: str, stamp: float | None) -> None:
    # 1280 samples of 128 are ten iterations: `iteration 9/100` is the tenth of 101.
    assert only(frame + NEMO2) == Iteration(
        format="nemo",
        speaker=speaker,
        stamp=stamp,
        iteration=10,
        target=101,
        values=NEMO2_VALUES,
    )


EVENTS: list[tuple[str, list[Record]]] = [
    (
        "[NeMo I 2025-06-18 21:57:03 nemo_logging:393] Global Checkpoint Save : Rank: 0 : Iteration: 99 : Start time: 1718...s : Save duration: 12.5s",
        [SaveDone(iteration=99, duration_s=12.5, stamp=at("2025-06-18 21:57:03"))],
    ),
    (
        "Epoch 0, global step 1999: 'val_loss' reached 2.34567 (best 2.34567), saving model to 'x.ckpt' as top 1",
        [Validation(iteration=1999, values={"loss": 2.34567})],
    ),
    (
        "`Trainer.fit` stopped: `max_steps=100` reached.",
        [Exit(how="completed", why="`Trainer.fit` stopped: `max_steps=100` reached.")],
    ),
]


@pytest.mark.parametrize(("line", "expected"), EVENTS)
def test_events(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)


LOOK_ALIKES = [
    "Validation DataLoader 0: 100%|██████████| 51/51 [00:20,  2.53it/s]",
    "Validation: : 51it [00:20,  2.53it/s, val_loss=2.0, train_loss=1.0]",
    "Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:01<00:00,  1.53it/s]",
    "Testing DataLoader 0:  10%|█    | 1/10 [00:01<00:09,  1.00s/it]",
    "self.log('reduced_train_loss', loss, prog_bar=True)",
    "val_loss is monitored, train_loss is not",
    "Epoch 0:   0%|          | 0/15 [00:00<?, ?it/s]",
]


@pytest.mark.parametrize("line", LOOK_ALIKES)
def test_look_alikes_are_no_iterations(line: str) -> None:
    assert not [r for r in read(line) if isinstance(r, Iteration | Validation)]

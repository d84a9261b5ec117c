"""The smaller formats: OLMo, Composer, fairseq, IDEFICS, DLLogger, llm.c, modded-nanogpt."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import math

import pytest

from tests.core.logs.reading import at, plainly, read
from trainwatch.core.model.records import (
    Iteration,
    Overflow,
    Record,
    SaveDone,
    SaveStarted,
    Validation,
    ValidationBegins,
)


def part(name: str, **values: float) -> Iteration:
    return Iteration(format=name, iteration=None, part=True, values=values)


def numbered(name: str, number: int, target: int | None = None, **values: float) -> Iteration:
    return Iteration(format=name, iteration=number, target=target, values=values)


OLMO: list[tuple[str, list[Record]]] = [
    (
        "[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step=2/739328]",
        [
            Iteration(
                format="olmo",
                stamp=at("2024-04-17 09:42:38"),
                iteration=2,
                target=739328,
                values={},
            )
        ],
    ),
    ("[step=2/739328,epoch=0]", [numbered("olmo", 2, 739328)]),
    ("    train/CrossEntropyLoss=10.73", [part("olmo", loss=10.73)]),
    ("    train/CrossEntropyLoss=nan", [part("olmo", loss=math.nan)]),
    ("    optim/total_grad_norm=1.25", [part("olmo", grad_norm=1.25)]),
    ("    optim/learning_rate_group0=0.0003", [part("olmo", learning_rate=0.0003)]),
    ("    throughput/total_tokens=8,388,608", [part("olmo", consumed_tokens=8388608.0)]),
    ("    throughput/device/batches_per_second=0.5", [part("olmo", step_time_s=2.0)]),
    ("    throughput/device/batches_per_second=0.0", [part("olmo")]),
    ("Saving checkpoint...", [SaveStarted(iteration=None)]),
    ("Checkpoint saved to /ckpt/step1000", [SaveDone(iteration=1000, path="/ckpt/step1000")]),
    # source code, and a metric that is none of ours
    ("    log.info(f'[step={self.global_step}/{self.max_steps}]')", []),
    ("    throughput/device/other=12", []),
    ("see throughput/total_tokens=12", []),
]

COMPOSER: list[tuple[str, list[Record]]] = [
    # batches of an epoch: the run's target is not said, and the second epoch goes on counting
    ("[epoch=1][batch=5/5]:", [numbered("composer", 5)]),
    ("[epoch=2][batch=1/5]:", [numbered("composer", 6)]),
    ("[epoch=3][batch=5/5]:", [numbered("composer", 15)]),
    # an epoch of unknown length
    ("[epoch=1][batch=7]:", [numbered("composer", 7)]),
    # batches of the run
    ("[batch=5/4800]:", [numbered("composer", 5, 4800)]),
    (
        "[rank0]:[batch=5/4800]:",
        [Iteration(format="composer", speaker="rank0", iteration=5, target=4800, values={})],
    ),
    ("\t Train loss/train/total: 8.4213", [part("composer", loss=8.4213)]),
    ("\t Train loss/train/total: nan", [part("composer", loss=math.nan)]),
    ("\t Train throughput/batches_per_sec: 0.5", [part("composer", step_time_s=2.0)]),
    ("\t Train throughput/batches_per_sec: 0.0", []),
    ("\t Train throughput/samples_per_sec: 2.7330", [part("composer", samples_per_s=2.733)]),
    ("\t Train throughput/tokens_per_sec: 20082.8", [part("composer", tokens_per_s=20082.8)]),
    (
        "\t Train throughput/device/tokens_per_sec: 1255.1",
        [part("composer", tokens_per_s_per_gpu=1255.1)],
    ),
    ("\t Train time/token: 8192", [part("composer", consumed_tokens=8192.0)]),
    ("\t Train time/batch: 4", []),
    ("\t Train lr-DecoupledAdamW/group0: 0.0003", [part("composer", learning_rate=0.0003)]),
    ("\t Train l2_norm/grad/global: 0.7", [part("composer", grad_norm=0.7)]),
    (
        "\t Eval metrics/eval/LanguageCrossEntropy: 8.1",
        [
            Validation(
                iteration=None, values={"loss": 8.1}, name="metrics/eval/LanguageCrossEntropy"
            )
        ],
    ),
    ("\t Eval metrics/eval/LanguagePerplexity: 3000.1", []),
    ("[Eval batch=1/8] Eval on eval data:", []),
]

FAIRSEQ: list[tuple[str, list[Record]]] = [
    (
        '2021-03-08 12:32:33 | INFO | train_inner | {"epoch": 1, "update": 0.01, "loss": "16.446", "ppl": "89281.6", "wps": "288.7", "ups": "2.5", "num_updates": "100", "lr": "6e-06", "gnorm": "1.8", "loss_scale": "64", "wall": "123"}',
        [
            Iteration(
                format="fairseq",
                stamp=at("2021-03-08 12:32:33"),
                iteration=100,
                values={
                    "loss": 16.446,
                    "tokens_per_s": 288.7,
                    "step_time_s": 0.4,
                    "learning_rate": 6e-06,
                    "grad_norm": 1.8,
                    "loss_scale": 64.0,
                },
            )
        ],
    ),
    (
        '2021-03-08 12:32:33 | INFO | valid | {"epoch": 1, "valid_loss": "5.5", "valid_ppl": "45", "valid_num_updates": "100"}',
        [Validation(stamp=at("2021-03-08 12:32:33"), iteration=None, values={"loss": 5.5})],
    ),
    (
        "2021-03-08 12:32:33 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 5.5 | ppl 45 | num_updates 100",
        [Validation(stamp=at("2021-03-08 12:32:33"), iteration=100, values={"loss": 5.5})],
    ),
    (
        "2024-02-29 07:59:01 | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 32.0",
        [Overflow(stamp=at("2024-02-29 07:59:01"), loss_scale=32.0)],
    ),
    ("2021-03-08 12:32:33 | INFO | train_inner | nothing here", []),
]

IDEFICS: list[tuple[str, list[Record]]] = [
    (
        "iteration:  4875/500000   0% | elapsed time: 19:29:30 | per_token_loss: 3.3900 | lr: 9.942E-06 | num_tokens: 1536772503 | fwd_bwd_time: 80734.8 | num_opt_steps: 4875 | z_loss: 26.2100",
        [
            Iteration(
                format="idefics",
                iteration=4875,
                target=500000,
                elapsed_s=70170.0,
                values={
                    "loss": 3.39,
                    "learning_rate": 9.942e-06,
                    "consumed_tokens": 1536772503.0,
                    "z_loss": 26.21,
                },
            )
        ],
    ),
    ("** Starting validation **", [ValidationBegins()]),
    ("** Finished validation **", []),
    (
        "Validation logs: val_per_token_loss: 3.0179 | val_num_tokens: 4413196 |",
        [Validation(iteration=None, values={"loss": 3.0179, "tokens": 4413196.0})],
    ),
]

DLLOGGER: list[tuple[str, list[Record]]] = [
    (
        "0: DLL 2025-10-03 22:10:37.454176 - Iteration 2 | train_acc : 0.1641 % | iteration_time : 71.14 ms | train_loss : 6.0234",
        [
            Iteration(
                format="dllogger",
                speaker="0",
                stamp=at("2025-10-03 22:10:37.454176"),
                iteration=2,
                values={"train_acc": 0.1641, "step_time_s": 0.07114, "loss": 6.0234},
            )
        ],
    ),
    (
        "DLL 2025-10-03 22:10:37.454176 - Epoch: 0 Iteration: 20  step_time : 0.5 s train_loss : nan",
        [
            Iteration(
                format="dllogger",
                stamp=at("2025-10-03 22:10:37.454176"),
                iteration=20,
                values={"step_time_s": 0.5, "loss": math.nan},
            )
        ],
    ),
    ("DLL 2025-10-03 22:10:37.454176 - PARAMETER batch_size : 32", []),
    ("DLL 2025-10-03 22:10:37.454176 - Iteration 2 | val.top1 : 0.5", []),
]

LLM_C: list[tuple[str, list[Record]]] = [
    (
        "s:1 trl:10.9598 lr:0.000002 norm:15.24",
        [numbered("llm.c", 1, loss=10.9598, learning_rate=2e-06, grad_norm=15.24)],
    ),
    ("s:1 trl:10.9598", [numbered("llm.c", 1, loss=10.9598)]),
    (
        "s:1 trl:nan lr:0.1 norm:inf",
        [numbered("llm.c", 1, loss=math.nan, learning_rate=0.1, grad_norm=math.inf)],
    ),
    ("s:250 tel:6.5034", [Validation(iteration=250, values={"loss": 6.5034})]),
    ("s:250 eval:0.2945", []),
    (
        "step    2/18865 | loss 10.959800 (+nanz)| norm 15.2381 (+nanz)| lr 8.57e-07 | 2795.44 ms | 45.4% bf16 MFU | 187546 tok/s",
        [
            numbered(
                "llm.c",
                2,
                18865,
                loss=10.9598,
                grad_norm=15.2381,
                learning_rate=8.57e-07,
                step_time_s=2.79544,
                tokens_per_s=187546.0,
            )
        ],
    ),
    (
        "step    2/18865 | loss 10.959800 (+1.32z)| norm 15.2381 (-0.10z)| lr 8.57e-07 | 2795.44 ms | -100.0% bf16 MFU | 187546 tok/s",
        [
            numbered(
                "llm.c",
                2,
                18865,
                loss=10.9598,
                grad_norm=15.2381,
                learning_rate=8.57e-07,
                step_time_s=2.79544,
                tokens_per_s=187546.0,
            )
        ],
    ),
    ("Writing checkpoint at step 5000", [SaveDone(iteration=5000)]),
    ('sprintf(line, "s:%d trl:%.4f lr:%.6f norm:%.2f", step, loss, lr, norm);', []),
    ("progress:12 trl:1.0 is no such line", []),
]


def nanogpt(number: int, target: int, elapsed_s: float | None = None, **values: float) -> Iteration:
    return Iteration(
        format="modded-nanogpt",
        iteration=number,
        target=target,
        elapsed_s=elapsed_s,
        values=values,
    )


MODDED_NANOGPT: list[tuple[str, list[Record]]] = [
    (
        "step:125/6200 train_loss:4.1 train_time:27012ms step_avg:216.1ms",
        [nanogpt(125, 6200, 27.012, loss=4.1)],
    ),
    ("step:1/6200 train_time:27012ms step_avg:nanms", [nanogpt(1, 6200, 27.012)]),
    (
        "step:1/6200 train_loss:nan train_time:0ms step_avg:nanms",
        [nanogpt(1, 6200, 0.0, loss=math.nan)],
    ),
    (
        "step:125/6200 val_loss:10.8258 train_time:27012ms step_avg:216.10ms",
        [Validation(iteration=125, values={"loss": 10.8258})],
    ),
    ("step:9/10 train_time:12.5s step_avg:1ms", [nanogpt(9, 10, 12.5)]),
    # its own source code
    (
        'print0(f"step:{step}/{train_steps} val_loss:{val_loss:.4f} train_time:{training_time_ms:.0f}ms step_avg:{training_time_ms/max(step, 1):.2f}ms", console=True)',
        [],
    ),
    (
        '    print(f"step:{step+1}/{args.num_iterations} train_loss:{train_loss.item():.4f} train_time:{approx_time:.0f}ms")',
        [],
    ),
    ("timestep:12/20 train_time:12ms", []),
]

TABLES = {
    "olmo": OLMO,
    "composer": COMPOSER,
    "fairseq": FAIRSEQ,
    "idefics": IDEFICS,
    "dllogger": DLLOGGER,
    "llm_c": LLM_C,
    "modded_nanogpt": MODDED_NANOGPT,
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(line, expected, id=f"{name}-{number}")
        for name, table in TABLES.items()
        for number, (line, expected) in enumerate(table)
    ],
)
def test_a_line(line: str, expected: list[Record]) -> None:
    assert plainly(read(line)) == plainly(expected)

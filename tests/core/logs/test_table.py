"""Every format of the table has a line here that only a needle of its own can find.

A line that holds no needle is never shown to its parser, however well the parser would read it.
"""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from trainwatch.core.logs.format import Line
from trainwatch.core.logs.table import FORMATS, SECONDARY

_MEGATRON = "learning rate: 1.0E-05 | lm loss: 1.0E+01 | number of skipped iterations:   0 | number of nan iterations:   0 |"
LINES: dict[str, list[str]] = {
    "gpt-neox": [
        f" samples/sec: 51.2 | iteration 10/ 50 | elapsed time per iteration (ms): 625.0 | {_MEGATRON}"
    ],
    "megatron-core": [
        f" [2024-08-01 09:44:55] iteration 10/ 50 | elapsed time per iteration (ms): 625.0 | {_MEGATRON}"
    ],
    "megatron-deepspeed": [
        f" iteration 10/ 50 | consumed tokens: 12 | elapsed time per iteration (s): 0.6 | {_MEGATRON}"
    ],
    "megatron-lm": [f" iteration 10/ 50 | elapsed time per iteration (ms): 625.0 | {_MEGATRON}"],
    "deepspeed": [
        "steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805",
        "[Rank 0] step=20, skipped=17, lr=[5e-05], mom=[(0.9, 0.999)]",
        "0/20, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4",
        "epoch: 0|step: 2|ppo_ep: 1|act_loss: 0.223|cri_loss: 0.139|unsuper_loss: 0.0",
        "|E2E latency=4.78s |Gather latency=0.00s (0.00%)",
    ],
    "torchtitan": ["step:  2  loss:  7.7082  grad_norm:  1.5585  tps: 301,092"],
    "nanotron": ["iteration: 2 / 15 | consumed_tokens: 480B | lm_loss: 2.04"],
    "nemo": [
        "Epoch 0: : 10%|█| 5/50 [31:51<00:00, reduced_train_loss=6.130]",
        "Epoch 0:  21%|█| 5/50 [31:51<00:00, 1.5it/s, loss=3.7, train_step_timing in s=3.3]",
        "Training epoch 0, iteration 9/100 | lr: 1e-4 | train_step_timing in s: 5.9",
    ],
    "hf-trainer": ["{'loss': 1.2984, 'epoch': 3.0}", "{'eval_loss': 1.2984, 'epoch': 3.0}"],
    "olmo": [
        "[step=2/739328]",
        "    train/CrossEntropyLoss=10.73",
        "    train/CE loss=10.73",
        "    throughput/total_tokens=8,388,608",
        "    throughput/device/TPS=12",
        "    optim/total_grad_norm=1.25",
        "    optim/learning_rate_group0=0.0003",
        "    System/Peak GPU Memory (MB)=43,309",
    ],
    "composer": [
        "[batch=5/4800]:",
        "\t Train loss/train/total: 8.4213",
        "\t Train throughput/samples_per_sec: 2.7330",
        "\t Train time/sample: 8192",
        "\t Train l2_norm/grad/global: 0.7",
        "\t Train lr-DecoupledAdamW/group0: 0.0003",
        "\t Eval metrics/eval/LanguageCrossEntropy: 8.1",
    ],
    "idefics": [
        "iteration:  4875/500000   0% | elapsed time: 19:29:30 | per_token_loss: 3.39 |",
        "** Starting validation **",
        "Validation logs: val_per_token_loss: 3.0179 |",
    ],
    "mllog": [':::MLLOG {"key": "run_stop"}'],
    "dllogger": ["DLL 2025-10-03 22:10:37.454176 - Iteration 2 | train_loss : 6.0234"],
    "llm.c": [
        "s:1 trl:10.9598",
        "s:250 tel:6.5034",
        "step 2/18865 | loss 10.9 (+nanz)| norm 15.2 (+nanz)| lr 8.57e-07 | 2795.44 ms",
    ],
    "modded-nanogpt": ["step:125/6200 train_time:27012ms step_avg:216.1ms"],
    "fairseq": [
        '2021-03-08 12:32:33 | INFO | train_inner | {"loss": "16.446"}',
        '2021-03-08 12:32:33 | INFO | valid | {"valid_loss": "16.446"}',
        "NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 32.0",
    ],
    "bar": ["45%|█| 7/16 [2:12:45<2:59:53, 12.28s/it]", "45%|█| 7/16 [00:05<2:59:53, 1.28it/s]"],
    "megatron-start": [
        "using world size: 16, data-parallel-size: 1",
        "----- arguments -----",
        "> padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 3): 1745293312",
        "using torch.float16 for parameters ...",
        "[after something] datetime: 2021-05-24 09:40:12",
        "estimated model parameters: 12.5",
        "Total number of parameters in billions: 0.05",
    ],
    "arguments": [
        "  num_layers ......................... 40",
        "[INFO] [config.py:960:print]   train_micro_batch_size_per_gpu  48",
        "  deepspeed_activation_checkpointing  True",
    ],
    "launcher": ["--nnodes 4", "export NNODES=16", "--nproc_per_node 8", "--nproc-per-node=4"],
    "gpu": ["NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2", "AMD Instinct MI300X"],
    "checkpoints": [
        "saving checkpoint at iteration 10 to /ckpt",
        "successfully saved checkpoint at iteration 10 to /ckpt",
        "time (ms) | save-checkpoint: 57514.53",
    ],
    "loads": [
        "loading checkpoint from /ckpt",
        "loading distributed checkpoint from /ckpt at iteration 680",
        "loading release checkpoint from /ckpt",
        "successfully loaded checkpoint from /ckpt",
        "will not load any checkpoints and will start from random",
    ],
    "validations": [
        "validation loss at iteration 10 | lm loss value: 7.1 |",
        "validation results at iteration 10 | lm loss value: 7.1 |",
        "validation loss at the end of training for val data | lm loss value: 2.0 |",
        "validation results at the end of training for val data | lm loss value: 2.0 |",
    ],
    "deepspeed-events": [
        "OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1048576, reducing to 524288",
        "Saving model checkpoint: ckpt/global_step33/mp_rank_00_model_states.pt",
        "[Torch] Checkpoint global_step33 is ready now!",
    ],
    "deepspeed-profiler": [
        "iter latency:    591.05 ms",
        "FLOPS per GPU = 88 TFLOPS",
        "samples/second:   13.536",
        "params per gpu:   336.23 M",
        "params per GPU:   336.23 M",
    ],
    "torchtitan-events": [
        "Starting job: debug",
        "Training starts at step 1",
        "local batch size 8, global batch size 64, sequence length 2048, total steps 10; Trainer is initialized with",
        "Saving the checkpoint",
        "Finished saving the checkpoint in 1.2 seconds",
        "Saving a full checkpoint at last step, step 10.",
        "Sleeping 2 seconds for other ranks to complete",
        "Loading the checkpoint from /ckpt/step-10",
        "Finished loading the checkpoint in 1.2 seconds",
        "Model llama3 8B size: 8,030,261,248 total parameters",
        "Peak FLOPS used for computing MFU: 9.890e+14",
        "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=8",
        "Building model with dim=12, n_layers=12",
        "Training completed",
    ],
    "nanotron-events": [
        "Saving checkpoint at /ckpt/10",
        "Loading checkpoint from /ckpt/10",
        "Total number of parameters: 1.05G",
    ],
    "nemo-events": [
        "Global Checkpoint Save : Rank: 0 : Iteration: 99 : x : Save duration: 12.5s",
        "Epoch 0, global step 1999: 'val_loss' reached 2.3",
        "`Trainer.fit` stopped: `max_steps=100` reached.",
    ],
    "hf-trainer-events": [
        "***** Running training *****",
        "Total optimization steps = 1,602",
        "Num Epochs = 3",
        "Total train batch size (w. parallel, distributed & accumulation) = 1,024",
        "Instantaneous batch size per device = 4",
        "Number of trainable parameters = 1,557",
        "Saving model checkpoint to out/checkpoint-500",
        "{'train_runtime': 919.097}",
    ],
    "olmo-events": ["Saving checkpoint...", "Checkpoint saved to /ckpt/step1000"],
    "llm.c-events": ["Writing checkpoint at step 5000"],
    "exits": [
        "[exiting program after 1190.03 minutes] datetime: x",
        "[exiting program at iteration 12] datetime: x",
        "exiting program after receiving SIGTERM.",
        "[Detected kill switch at /x. Exiting]",
        "[after training is done] datetime",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
    ],
    "slurm": [
        "*** JOB 1 ON n CANCELLED AT 2021-05-24T09:50:34 ***",
        "Detected 1 oom-kill event(s) in StepId=9209586.batch.",
        "Detected 1 oom_kill event in StepId=9209586.batch.",
        "srun: error: Node failure on n",
    ],
    "stragglers": [
        "GPU relative performance:",
        "GPU individual performance:",
        "  Rank=76 Node=h100-001-253-012 Score=0.94",
        " | MnEtpt/Rnk: 296.02TF/0 | MxEtpt/Rnk: 297.32TF/8",
        "^^^^ Bottom 2 Ranks with lowest  Etpt(TF): 296.02/0, 296.17/2,",
        "^^^^ Top    2 Ranks with highest Etpt(TF): 297.28/15, 297.32/8,",
    ],
    "faults": [
        "Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        "Watchdog caught collective operation timeout",
        "NCCL WARN x",
        "ncclSystemError: x",
        "terminate called after throwing an instance of 'x'",
        "srun: Job step aborted: x",
        "Main process received SIGTERM",
        "Received SIGTERM: 15",
        "closing signal SIGTERM",
        "Received Signals.SIGTERM death signal",
        "CUDA out of memory",
        "CUDA error: unknown error",
        "HIP out of memory",
        "what(): HIP error: x",
        "srun: error: n: task 0: Out Of Memory",
        "uncorrectable ECC error",
        "NVRM: Xid (PCI",
        "Xid errors on instance: x,",
        "INFO: task x blocked for more than 120 seconds",
        "DataLoader worker (pid 1) is killed by signal",
        "Unexpected bus error encountered in worker",
        "Disk quota exceeded",
        "No space left on device",
        "Unexpected result nan",
        "RuntimeError: found NaN in local grad norm",
        "Exception: Current loss scale already at minimum",
        "AssertionError: class input value 1 and checkpointvalue 2 for x do not match",
        "Your push was rejected",
        "invalid object 100644 e69f03783ce2b0af675405f22b49ebeb56d907e5",
        "WARNING: could not find the metadata file x",
        "Segmentation fault",
        "Aborted (core dumped)",
        "Fatal Python error: x",
        "slurmstepd: error: x",
        "KeyError: x",
        "x.Exception: x",
        "KeyboardInterrupt",
    ],
}


def test_every_format_has_its_lines() -> None:
    assert list(LINES) == [f.name for f in FORMATS]


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, lines in LINES.items() for line in lines]
)
def test_a_line_is_found_and_read(name: str, line: str) -> None:
    known = next(f for f in FORMATS if f.name == name)
    assert any(needle in line.encode() for needle in known.needles)
    assert list(known.parse(Line.of(line.encode())))


@pytest.mark.parametrize("name", LINES)
def test_every_needle_is_needed(name: str) -> None:
    known = next(f for f in FORMATS if f.name == name)
    lines = [line.encode() for line in LINES[name]]
    assert [n for n in known.needles if not any(n in line for line in lines)] == []


def test_secondary_formats_are_formats() -> None:
    assert {f.name for f in FORMATS} >= SECONDARY

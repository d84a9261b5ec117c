"""What a line is to its reader, on lines of real logs."""

import re
import time
from pathlib import Path

import pytest

from trainwatch.core.logs.levels import told
from trainwatch.core.logs.text import plain

LINES = (
    ("error", "slurmstepd: error: *** JOB 1809562 ON r6i5n1 CANCELLED AT 2021-05-23T08:29:53 ***"),
    ("error", "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=9209586.batch."),
    ("error", "srun: error: Node failure on jean-zay-iam49"),
    ("error", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 218.00 MiB."),
    ("error", "[rank0]:[E1218 20:27:21.426415540 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught"),
    ("error", "Traceback (most recent call last):"),
    ("error", '[default3]:  File "/work/megatron/training.py", line 101, in pretrain'),
    ("error", "terminate called after throwing an instance of 'c10::Error'"),
    ("error", " iteration 10/ 100 | lm loss: nan | loss scale: 1.0 |"),
    ("error", "OSError: [Errno 122] Disk quota exceeded"),
    ("warning", "r11i6n2:486514:486651 [1] include/socket.h:403 NCCL WARN Connect to 10.148.3.247 failed"),
    ("warning", "Main process received SIGTERM, exiting"),
    ("warning", "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1048576"),
    ("warning", "WARNING: could not find the metadata file /path/latest_checkpointed_iteration.txt"),
    ("progress", "[default7]: iteration    10/    1000 | consumed samples:           40 | lm loss: 1.2E+00"),
    ("progress", "s:1 trl:10.9598 lr:0.000002 norm:15.24"),
    ("progress", "step:125/6200 train_loss:4.1 train_time:27012ms step_avg:216.1ms"),
    ("progress", "{'loss': 1.2984, 'grad_norm': 1.01, 'learning_rate': 8.3e-08, 'epoch': 3.0}"),
    ("progress", ':::MLLOG {"namespace": "", "time_ms": 1759859525333, "key": "tracked_stats"}'),
    ("noise", "r6i4n3:30:31 [0] NCCL INFO Channel 00/02 :    0   1   2   3"),
    ("noise", "  3%|▎         | 30/1000 [00:05<02:41, 6.01it/s]"),
    ("noise", "+ export NCCL_ASYNC_ERROR_HANDLING=1"),
    ("", "  log_errors ...................................... False"),
    ("", "  abort_on_nan .................................... False"),
    ("", "NCCL_ASYNC_ERROR_HANDLING=1"),
    ("", "compiled with 0 errors"),
    ("", "Killing subprocess 12345"),
    ("", "Synchronizing and adjusting timeout for all ProcessGroups to 0:10:00"),
    ("", ""),
)  # fmt: skip


@pytest.mark.parametrize(("level", "line"), LINES, ids=[line[:40] or "empty" for _, line in LINES])
def test_a_level(level: str, line: str) -> None:
    assert told(line).level == level


JUNK = (
    "x", "error", "a_error", 'file "', "nan", ": ", "=", "[e", "+", "+ ", "1%|", "warn", "0 error ", "\t",
    "[default1]:", "traceback (most", "extension module", "kill event ", "oom-",
)  # fmt: skip


@pytest.mark.parametrize("junk", JUNK)
def test_a_line_of_16_kb_of_anything_takes_as_long_as_a_short_one(junk: str) -> None:
    """In CPU time, and far from a square of its length: that would be seconds."""
    line = (junk * 16_384)[: 16 * 1024]
    began = time.thread_time()
    told(line)
    assert time.thread_time() - began < 0.1


def test_real_logs_are_mostly_quiet(shared_logs: Path) -> None:
    """In logs of runs that trained, errors are few, and NCCL's words are noise."""
    for log in (shared_logs / "bigscience").iterdir():
        lines = [plain(raw) for raw in re.split(rb"[\r\n]+", log.read_bytes())]
        levels = [told(line).level for line in lines]
        assert levels.count("error") < 0.02 * len(lines), log.name
        assert all(told(line).noise == "NCCL INFO" for line in lines if " NCCL INFO " in line)

"""Lines that name an error: of which kind, whether they can be the cause, and where."""

# ruff: noqa: E501  (lines of logs are as long as they are)

import pytest

from tests.core.logs.reading import plainly, read
from trainwatch.core.model.records import Fault

# (line, kind, role, node, rank)
FAULTS: list[tuple[str, str, str, str, int | None]] = [
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "cuda-out-of-memory",
        "cause",
        "",
        None,
    ),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory.", "cuda-out-of-memory", "cause", "", None),
    ("[rank3]: torch.OutOfMemoryError: CUDA out of memory.", "cuda-out-of-memory", "cause", "", 3),
    ("RuntimeError: CUDA error: out of memory", "cuda-out-of-memory", "cause", "", None),
    (
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate",
        "cuda-out-of-memory",
        "cause",
        "",
        None,
    ),
    (
        "RuntimeError: HIP error: an illegal memory access was encountered",
        "cuda",
        "cause",
        "",
        None,
    ),
    ("RuntimeError: CUDA error: device-side assert triggered", "cuda", "cause", "", None),
    ("RuntimeError: CUDA error: uncorrectable ECC error encountered", "ecc", "cause", "", None),
    ("[default5]:  what():  CUDA error: unknown error", "cuda", "cause", "", 5),
    ("srun: error: influ2: task 0: Out Of Memory", "out-of-memory", "cause", "influ2", None),
    (
        "srun: error: node-c14: tasks 3,5-7: Out Of Memory",
        "out-of-memory",
        "cause",
        "node-c14",
        None,
    ),
    ("OSError: [Errno 122] Disk quota exceeded", "disk-quota", "cause", "", None),
    ("OSError: [Errno 28] No space left on device", "disk-quota", "cause", "", None),
    ("bash: line 1: 123 Segmentation fault (core dumped) python", "signal", "cause", "", None),
    ("Fatal Python error: Aborted", "signal", "cause", "", None),
    ("ValueError: too many values", "exception", "cause", "", None),
    ("[rank7]: ValueError: too many values", "exception", "cause", "", 7),
    ("[default7]:ValueError: too many values", "exception", "cause", "", 7),
    ("my.package.errors.OddError: it broke", "exception", "cause", "", None),
    ("Exception: it broke", "exception", "cause", "", None),
    ("KeyboardInterrupt", "exception", "cause", "", None),
    ("AssertionError", "exception", "cause", "", None),
    # what follows from something else
    (
        "[rank1]: torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, unhandled system error",
        "nccl",
        "cascade",
        "",
        1,
    ),
    ("torch.distributed.DistNetworkError: Connection reset by peer", "nccl", "cascade", "", None),
    ("torch.distributed.DistStoreError: wait timeout after 300000ms", "nccl", "cascade", "", None),
    ("RuntimeError: NCCL communicator was aborted on rank 3.", "nccl", "cascade", "", None),
    (
        "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.1]:1234",
        "nccl",
        "cascade",
        "",
        None,
    ),
    (
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "nccl",
        "cascade",
        "",
        None,
    ),
    (
        "terminate called after throwing an instance of 'std::runtime_error'",
        "terminate",
        "cascade",
        "",
        None,
    ),
    # processes are being stopped
    (
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.",
        "teardown",
        "teardown",
        "",
        None,
    ),
    (
        "[2024-08-01 09:44:55,000] torch.distributed.elastic.agent.server.api: [WARNING] Received Signals.SIGTERM death signal, shutting down workers",
        "teardown",
        "teardown",
        "",
        None,
    ),
    (
        "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 12 closing signal SIGTERM",
        "teardown",
        "teardown",
        "",
        None,
    ),
    (
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 2110 got signal: 15",
        "teardown",
        "teardown",
        "",
        None,
    ),
    ("Main process received SIGTERM, exiting", "teardown", "teardown", "", None),
    # warnings
    (
        "r11i6n2:486514:486651 [1] include/socket.h:403 NCCL WARN Connect to 10.148.3.247<56821> failed",
        "nccl-warning",
        "warning",
        "",
        None,
    ),
    (
        "Xid errors on instance: ip-26-0-147-135, Error: kernel: NVRM: Xid (PCI:0000:90:1c): 64",
        "xid",
        "warning",
        "ip-26-0-147-135",
        None,
    ),
    (
        "slurmstepd: error: container_p_join: open failed for /var/x: No such file",
        "slurm",
        "warning",
        "",
        None,
    ),
]


@pytest.mark.parametrize(("line", "kind", "role", "node", "rank"), FAULTS)
def test_a_fault(line: str, kind: str, role: str, node: str, rank: int | None) -> None:
    found = [r for r in read(line) if isinstance(r, Fault)]
    assert [(f.kind, f.role, f.node, f.rank) for f in found] == [(kind, role, node, rank)]
    assert found[0].text == line.strip()


NONE = [
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    "Traceback (most recent call last):",
    '  File "train.py", line 12, in <module>',
    "    raise ValueError('not here')",
    "    except RuntimeError: # a caught one",
    "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 12)",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "NCCL INFO Launch mode Parallel, TORCH_NCCL_ASYNC_ERROR_HANDLING set",
    "Killed",
    "export PYTHONFAULTHANDLER=1  # prints a traceback on SegmentationError",
    "0 Errors, 12 warnings",
    "ErrorHandling: on",
    "srun: error: r6i4n3: task 3: Exited with exit code 1",
    "srun: error: r6i4n3: tasks 0-3: Killed",
]


@pytest.mark.parametrize("line", NONE)
def test_what_is_no_fault(line: str) -> None:
    assert plainly(read(line)) == []


def test_a_long_line_is_kept_in_part() -> None:
    fault = read("ValueError: " + "x" * 10_000)[0]
    assert isinstance(fault, Fault)
    assert len(fault.text) == 500

"""Lines that name an error, by a table: what kind it is, and whether it can be the cause.

A root cause comes before its cascade: an out-of-memory on one rank is followed by time-outs on all others.
Tracebacks are no kind of their own (many are caught); their last line, `SomethingError: ...`, is.
Advice (`CUDA_LAUNCH_BLOCKING=1`) is no error. The table is read from top to bottom, the first wins.
"""

from collections.abc import Iterator
from typing import Literal

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Fault, Record
from trainwatch.core.patterns import pattern

Role = Literal["cause", "cascade", "warning", "teardown"]

_PATTERNS: tuple[tuple[str, Role, str], ...] = (
    # what follows from something else
    ("collective-timeout", "cascade", r"Watchdog caught collective operation timeout"),
    (
        "nccl",
        "cascade",
        r"RuntimeError: NCCL (?:error|communicator was aborted)|Connection closed by peer",
    ),
    ("nccl", "cascade", r"nccl(?:System|UnhandledCuda|Internal|Remote)Error:"),
    ("nccl", "cascade", r"torch\.distributed\.Dist(?:Backend|Network|Store)?Error"),
    ("nccl-warning", "warning", r"NCCL WARN "),
    ("terminate", "cascade", r"terminate called after throwing an instance of"),
    ("teardown", "teardown", r"srun: Job step aborted|Main process received SIGTERM"),
    ("teardown", "teardown", r"Received SIGTERM: 15|closing signal SIGTERM|SIGTERM death signal"),
    ("teardown", "teardown", r"SignalException: Process \d+ got signal: 15"),
    # the graphics card and its node
    ("cuda-out-of-memory", "cause", r"(?:CUDA|HIP)(?: error:)? out of memory"),
    ("cuda-out-of-memory", "cause", r"torch\.(?:cuda\.)?OutOfMemoryError"),
    ("out-of-memory", "cause", r"srun: error: \S+: tasks? [\d,-]+: Out Of Memory"),
    ("ecc", "cause", r"uncorrectable ECC error|cudaErrorECCUncorrectable"),
    ("cuda", "cause", r"(?:what\(\):|RuntimeError:).{0,300}?(?:CUDA|HIP) error"),
    ("cuda", "cause", r"CUDA error: (?:unknown error|an illegal memory|device-side assert)"),
    ("xid", "warning", r"\bXid\b"),
    ("hung-task", "warning", r"INFO: task \S+ blocked for more than \d+ seconds"),
    # memory and files
    ("shared-memory", "cause", r"DataLoader worker \(pid[^)]{0,40}\) is killed by signal"),
    ("shared-memory", "warning", r"Unexpected bus error encountered in worker"),
    ("disk-quota", "cause", r"Disk quota exceeded|No space left on device"),
    # the run's own mistakes
    ("nan", "cause", r"Unexpected result nan|found NaN in local (?:grad|forward)"),
    ("loss-scale", "cause", r"Current loss scale already at minimum"),
    (
        "resume-mismatch",
        "cause",
        r"class input value .{0,80} and checkpoint ?value .{0,200} do not match",
    ),
    ("sync", "warning", r"Your push was rejected|invalid object \d+ [0-9a-f]{40}"),
    # missing tracker: the line before "will start from random"
    ("no-tracker", "warning", r"WARNING: could not find the metadata file"),
    # what is left: the last line of a traceback, a crash of the interpreter
    ("signal", "cause", r"Segmentation fault|\(core dumped\)|Fatal Python error"),
    ("slurm", "warning", r"slurmstepd: error: (?!\*\*\*|Detected \d+ oom[-_]kill)"),
    (
        "exception",
        "cause",
        r"^(?:\S*\s)?(?:[\w.]+\.)?(?:[A-Z]\w*(?:Error|Interrupt)|(?:[A-Z]\w*)?Exception)(?:: .|$)",
    ),
    (
        "exception",
        "cause",
        r"(?<![\w'\"])(?<!except )(?:Runtime|Assertion|Value|Key|Type|OS|IO|Import|Attribute|Index)Error: \S",
    ),
)
_TABLE = tuple((kind, role, pattern(source)) for kind, role, source in _PATTERNS)
_RANK = pattern(r"\[rank(\d{1,7})\]|\[default(\d{1,7})\]|\[Rank (\d{1,7})\]|\bRank (\d{1,7}),")
_NODE = pattern(r"\bnode ([\w.-]+),|srun: error: ([\w.-]+): task|errors? on instance: ([\w.-]+?),")
_LONGEST = 500


def _parse(line: Line) -> Iterator[Record]:
    for kind, role, known in _TABLE:
        found = known.search(line.text)
        if found is not None:
            yield _fault(kind, role, line.text)
            return


def _fault(kind: str, role: Role, line: str) -> Fault:
    rank, node = _RANK.search(line), _NODE.search(line)
    return Fault(
        format="faults",
        speaker=text.speaker(line),
        stamp=text.stamp(line),
        kind=kind,
        role=role,
        text=line.strip()[:_LONGEST],
        node=next((g for g in node.groups() if g), "") if node else "",
        rank=next((int(g) for g in rank.groups() if g), None) if rank else None,
    )


FORMAT = Format(
    name="faults",
    needles=(
        b"Watchdog caught",
        b"CL WARN ",
        b"terminate called",
        b"Job step aborted",
        b"SIGTERM",
        b" out of memory",
        b"CUDA error",
        b"HIP error",
        b"Out Of Memory",
        b"uncorrectable ECC",
        b"NVRM: Xid",
        b"Xid error",
        b"blocked for more than",
        b"killed by signal",
        b"bus error",
        b"quota exceeded",
        b"No space left",
        b"Unexpected result nan",
        b"dy at minimum",
        b"push was rejected",
        b"invalid object",
        b"could not find the metadata",
        b"Segmentation fault",
        b"(core dumped)",
        b"Fatal Python error",
        b"slurmstepd: error",
        b"Error",
        b"Exception",
        b"KeyboardInterrupt",
    ),
    parse=_parse,
    group="faults",
)

"""A line of a log, and files that are no log, each with the exit code and the words for it."""

import gzip
from pathlib import Path

from trainwatch.core.errors import ExitCode

LINE = (
    " [2026-05-28 13:01:07.645545] iteration {n:8d}/   45776 | consumed samples: {s:12d} | elapsed "
    "time per iteration (ms): 263.6 | throughput per GPU (TFLOP/s/GPU): 177.2 | learning rate: "
    "1.092267E-04 | global batch size:   512 | lm loss: 8.184724E+00 | loss scale: 1.0 | grad norm: "
    "1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)


def make_bad(tmp_path: Path, kind: str) -> Path:
    path = tmp_path / "bad"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    elif kind == "gzip":
        path.write_bytes(gzip.compress(LINE.format(n=1, s=1).encode()))
    elif kind == "binary":
        path.write_bytes(bytes(range(256)) * 4000)
    elif kind == "unknown format":
        path.write_text("hello\nworld\n" * 1000)
    return path


BAD = {
    "missing": (ExitCode.USAGE, "does not exist"),
    "folder": (ExitCode.USAGE, "is a folder; name the log in it"),
    "empty": (ExitCode.UNKNOWN, "is empty so far"),
    "gzip": (ExitCode.USAGE, "is compressed; unpack it first"),
    "binary": (ExitCode.UNKNOWN, "holds no log format trainwatch knows"),
    "unknown format": (ExitCode.UNKNOWN, "holds no log format trainwatch knows"),
}

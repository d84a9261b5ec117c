"""Lines of a log to export, and `trainwatch export` as it is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run

LINE = (
    " [2026-05-28 13:{minute:02d}:07.500000] iteration {n:8d}/    1000 | consumed samples: {s:12d} | "
    "elapsed time per iteration (ms): {ms:.1f} | learning rate: 1.0E-04 | global batch size:   512 |"
    "{loss} loss scale: 1.0 | grad norm: {norm} | params norm: 7.5 | number of skipped iterations:   "
    "{skipped} | number of nan iterations:   0 |\n"
)
STARTS = "------------------------ arguments ------------------------\n"


def line(
    n: int, *, loss: str = " lm loss: 8.5E+00 |", norm: str = "1.125", skipped: int = 0
) -> str:
    return LINE.format(
        n=n, s=n * 512, ms=100 + n, minute=n % 60, loss=loss, norm=norm, skipped=skipped
    )


def export(
    capsysbinary: pytest.CaptureFixture[bytes], *arguments: object, code: int = 0
) -> tuple[str, str]:
    assert run(["export", *map(str, arguments)]) == code
    said = capsysbinary.readouterr()
    return said.out.decode(), said.err.decode()


def rows_of(capsysbinary: pytest.CaptureFixture[bytes], log: Path) -> list[dict[str, Any]]:
    out, _ = export(capsysbinary, log, "--format", "jsonl")
    return [json.loads(text) for text in out.splitlines()]

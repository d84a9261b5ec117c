"""Small logs to report on, and `trainwatch report` as it is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run

LINE = (
    " iteration {n:8d}/    1000 | consumed samples: {s:12d} | elapsed time per iteration (ms): {ms:.1f} "
    "| learning rate: 1.0E-04 | global batch size:   512 | lm loss: 8.184724E+00 | loss scale: 1.0 | "
    "grad norm: 1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)


def write(path: Path, iterations: int = 3, gpus: int = 8, ms: float = 100.0) -> Path:
    dump = f"------------------------ arguments ------------------------\n  world_size {'.' * 40} {gpus}\n"
    lines = [LINE.format(n=n, s=n * 512, ms=ms) for n in range(1, iterations + 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump + "".join(lines))
    return path


def report(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert run(["report", *arguments]) == code
    said = capsys.readouterr()
    return said.out, said.err


def rows_of(
    capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        report(capsys, *arguments, "--format", "json", code=code)[0]
    )
    return rows

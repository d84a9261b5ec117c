"""What doctor said, as scripts read it; and a configuration for it to read."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainwatch.app.cli import run


def configured(here: Path, *tables: str) -> None:
    (here / "trainwatch.toml").write_text("\n".join(tables))


RUN = '[[runs]]\nname = "tr11"\nlog = "main_log.txt"\n'


class Found:
    """What doctor said, as scripts read it."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *options: str) -> None:
        capsys.readouterr()
        self.code = run(["doctor", "--json", *options])
        told = json.loads(capsys.readouterr().out)
        self.verdict: str = told["verdict"]
        self.checks: list[dict[str, Any]] = told["checks"]

    def __getitem__(self, name: str) -> dict[str, Any]:
        group, _, name = name.partition("/")
        return next(c for c in self.checks if (c["group"], c["name"]) == (group, name))

    def amiss(self, *verdicts: str) -> set[str]:
        wanted = verdicts or ("wrong", "unknown")
        return {f"{c['group']}/{c['name']}" for c in self.checks if c["verdict"] in wanted}

"""`[cron] keeper = "scrontab"` by its commands, with a `scrontab` that behaves as Slurm's manual says.

No package here has the real one: this program holds the table in a file, and has none at first.
"""

import json
from pathlib import Path

import pytest

from trainwatch.app.cli import run

SCRONTAB = """#!/bin/bash
table={folder}/table
case "$1" in
  -l) cat "$table" 2>/dev/null || {{ echo "no crontab for me" >&2; exit 1; }} ;;
  *) cp "$1" "$table" ;;
esac
"""
TROUBLE = "scrontab: error: scrontab is disabled on this cluster"


class Desk:
    """A folder with a configuration and commands of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys, self.folder, self.table = capsys, folder, folder / "table"
        self.program("scrontab", SCRONTAB.format(folder=folder))
        self.program("squeue", '#!/bin/bash\necho \'{"jobs": [], "errors": []}\'\n')
        self.configure()

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def configure(self, interval_min: float = 10.0, mode: str = "ticks") -> None:
        (self.folder / "main_log.txt").touch()
        (self.folder / "config.toml").write_text(
            f'state_dir = "{self.folder / "state"}"\n'
            f'[cron]\nkeeper = "scrontab"\nmode = "{mode}"\ninterval_min = {interval_min}\n'
            f'[slurm]\nanswers = "json"\n'
            f'[[runs]]\nname = "one"\nlog = "{self.folder / "main_log.txt"}"\n'
        )

    def ask(self, *command: str) -> tuple[int, str]:
        given = ["cron", *command, "--config", str(self.folder / "config.toml")]
        code, said = run(given), self.capsys.readouterr()
        return code, said.out + said.err


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return Desk(tmp_path, capsys)


def test_start_puts_one_entry_in_and_stop_takes_it_out(desk: Desk) -> None:
    desk.table.write_text("0 3 * * * ~/backup.sh\n")
    assert desk.ask("start") == (0, "scrontab: our entry is in (scrontab -l shows it)\n")
    assert desk.ask("start") == (0, "scrontab: nothing to change\n")
    table = desk.table.read_text()
    assert table.startswith("0 3 * * * ~/backup.sh\n")
    assert table.count("*/10 * * * * ") == 1
    assert "cron tick" in table
    code, said = desk.ask("stop")
    assert (code, said.splitlines()[0]) == (0, "scrontab: our entry is gone (scrontab -l shows it)")
    assert desk.table.read_text() == "0 3 * * * ~/backup.sh\n"


def test_status_knows_that_it_is_wanted_and_who_keeps_it(desk: Desk) -> None:
    desk.ask("start")
    code, said = desk.ask("status", "--json")
    found = json.loads(said)
    assert (code, found["keeper"], found["health"]) == (1, "scrontab", "dead")
    assert "never gave a sign of life" in found["why"]
    desk.ask("stop")
    assert json.loads(desk.ask("status", "--json")[1])["health"] == "stopped"


def test_what_a_scrontab_cannot_say_is_refused_before_anything_is_written(desk: Desk) -> None:
    desk.configure(interval_min=7.0)
    code, said = desk.ask("start")
    assert code == 2
    assert "interval_min = 7 cannot be said in a scrontab" in said
    desk.configure(mode="daemon")
    code, said = desk.ask("start")
    assert code == 2
    assert "wants mode = 'ticks'" in said
    assert not desk.table.exists()


def test_a_cluster_without_scrontab_says_so(desk: Desk) -> None:
    desk.program("scrontab", f"#!/bin/bash\necho '{TROUBLE}' >&2\nexit 1\n")
    code, said = desk.ask("start")
    assert code == 1
    assert "scrontab is disabled on this cluster" in said
    assert json.loads(desk.ask("status", "--json")[1])["health"] == "stopped"

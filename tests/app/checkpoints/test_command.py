"""`trainwatch checkpoints` on real folders, as a person types it."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.adapters.checkpoints.disk import names, save, track
from tests.core.checkpoints.making import DAY_S, deepspeed
from trainwatch.app.checkpoints import words
from trainwatch.app.cli import run
from trainwatch.core.model.housekeeping import CheckpointsStatus
from trainwatch.core.model.status import CheckpointStatus, Status
from trainwatch.core.rules.settings import PurgeRisk

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkpoints"
    for n in range(10, 80, 10):
        save(root, n)
    track(root, 70)
    return root


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def asked(*words: str | Path) -> tuple[int, str, str]:
        code = run(["checkpoints", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return asked


def test_list_says_what_is_there_and_why(ask: Ask, root: Path) -> None:
    code, out, _ = ask("list", root)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == f"{root}: 7 checkpoints, 7 complete, 1.4 kB (700 B of it weights)"
    assert lines[1] == "  latest names global_step70"
    assert lines[-1].startswith("  global_step70  complete  200 B")
    assert lines[-1].endswith("latest names it")


def test_list_for_machines(ask: Ask, root: Path) -> None:
    found = json.loads(ask("list", root, "--json")[1])
    assert found["schema_version"] == 1
    assert [one["iteration"] for one in found["found"]] == list(range(10, 80, 10))
    assert found["found"][0]["contents"]["bytes"] == 200


def test_list_says_when_the_site_purges_each_and_how_the_run_saves() -> None:
    seen = deepspeed({10: 25 * DAY_S, 20: 31 * DAY_S}, latest=20)
    status = Status(
        run="tr",
        health="ok",
        save_interval=10,
        hours_at_risk=1.5,
        gpu_hours_at_risk=576.0,
        checkpoint=CheckpointStatus(iteration=20, at=seen.at - 90, duration_s=42.0),
        checkpoints=CheckpointsStatus(at=seen.at, period_s=3600.0),
    )
    month = PurgeRisk(purge_after_days=30)
    lines = words.survey("/root", seen, month, status).splitlines()
    assert lines[1] == (
        "  last saved iteration 20, 1 min 30 s ago; a save takes 42 s; one every 10 iterations (1 h); "
        "1 h 30 min of work (576 GPU-hours) at risk"
    )
    assert "purged in 5 d its files are" in " ".join(lines[3].split())
    assert "purged any night latest names it" in " ".join(lines[4].split())
    assert "purged" not in words.survey("/root", seen, PurgeRisk())
    found = json.loads(msgspec.json.encode(words.listed(seen, month, status)))
    assert found["purge_at"] == {
        "global_step10": seen.at + 5 * DAY_S,
        "global_step20": seen.at - DAY_S,
    }
    assert found["saves"]["period_s"] == 3600.0
    assert [one["iteration"] for one in found["found"]] == [10, 20]


def test_prune_is_a_plan_until_it_is_applied_and_can_be_taken_back(ask: Ask, root: Path) -> None:
    code, out, err = ask("prune", root, "--keep-last", "2", "--keep-step", "10")
    assert code == 0
    assert "  keep    global_step10  200 B  a milestone" in out
    assert "  remove  global_step20  200 B  no policy keeps it" in out
    assert "3 stay (600 B), 4 go, which frees 800 B after 7 d in the trash" in out
    assert err == "nothing was done: --apply does it\n"
    assert len(names(root)) == 7
    code, _, err = ask("prune", root, "--keep-last", "2", "--apply")
    assert (code, err) == (0, f"{root}: 5 checkpoints moved to the trash, 1 kB\n")
    assert names(root) == [60, 70]
    operation = ask("trash", root)[1].splitlines()[1].split()[0]
    assert ask("trash", root, "--undo", operation)[2] == "nothing was done: --apply takes it back\n"
    assert ask("trash", root, "--undo", operation, "--apply")[0] == 0
    assert names(root) == list(range(10, 80, 10))
    code, _, err = ask("trash", root, "--undo", operation, "--apply")
    assert code == 1
    assert "cannot be taken back" in err


def test_emptying_the_trash_deletes_what_is_old_enough(ask: Ask, root: Path) -> None:
    ask("prune", root, "--keep-last", "2", "--apply")
    assert "stays for now" in ask("trash", root, "--empty")[1]
    code, _, err = ask("trash", root, "--empty", "--apply")
    assert (code, err) == (0, f"{root}: 0 checkpoints deleted for good\n")
    assert "would be deleted for good" in ask("trash", root, "--empty", "--days", "0")[1]
    code, _, err = ask("trash", root, "--empty", "--days", "0", "--apply")
    assert (code, err) == (0, f"{root}: 5 checkpoints deleted for good, 1 kB\n")
    assert "emptied" in ask("trash", root)[1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("prune",), 1, "refused: a policy that may remove anything"),
        (("prune", "--keep-last", "1"), 2, "1 is not in the range x>=2"),
        (("finish-round", "1"), 2, "round 1 is not configured"),
        (("trash", "--undo", "nonsense"), 2, "no operation nonsense is known"),
    ],
)
def test_what_is_refused(
    ask: Ask, root: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    got, out, err = ask(*words, root)
    assert got == code
    assert said in out + err
    assert len(names(root)) == 7


def test_a_root_that_is_a_link_names_the_folder(ask: Ask, root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    code, _, err = ask("list", link)
    assert code == 2
    assert f"{link} is a symbolic link: name the folder itself, {root}" in err


def test_without_a_run_and_a_folder_it_says_what_to_do(ask: Ask) -> None:
    code, _, err = ask("list")
    assert code == 2
    assert "no run is configured" in err


def test_a_folder_that_is_not_there_or_has_none(ask: Ask, tmp_path: Path) -> None:
    code, _, err = ask("list", tmp_path / "nowhere")
    assert code == 2
    assert "there is no such folder" in err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "nothing here has the name of a checkpoint" in ask("list", empty)[1]
    assert ask("trash", empty, "--empty", "--apply")[0] == 0
    assert list(empty.iterdir()) == []


def test_a_tracker_with_garbage_is_said_and_nothing_is_removed(ask: Ask, root: Path) -> None:
    (root / "latest").write_bytes(b"\x1b[31mrubbish\x00")
    code, out, _ = ask("prune", root, "--keep-last", "2", "--apply")
    assert code == 1
    assert "refused: latest holds" in out
    assert "\x1b" not in out
    assert len(names(root)) == 7


def configure(folder: Path, root: Path, more: str = "") -> Path:
    path = folder / "config.toml"
    path.write_text(
        f'[[runs]]\nname = "tr"\nlog = "{folder / "main_log.txt"}"\n'
        f'[runs.checkpoints]\npath = "{root}"\nkeep_last = 2\n{more}'
    )
    return path


def test_as_configured_by_the_name_of_the_run(ask: Ask, root: Path, tmp_path: Path) -> None:
    config = configure(tmp_path, root, "keep_every = 50\n")
    code, out, _ = ask("prune", "tr", "--config", config)
    assert code == 0
    assert "3 stay (600 B), 4 go" in out
    assert "3 stay" in ask("prune", root, "--config", config)[1]
    assert "6 stay" in ask("prune", "tr", "--keep-last", "6", "--config", config)[1]


def test_a_round_wants_to_know_which_jobs_are_the_runs(
    ask: Ask, root: Path, tmp_path: Path
) -> None:
    config = configure(tmp_path, root, "rounds = [{ target = 40, save_interval = 10 }]\n")
    code, out, _ = ask("finish-round", "1", "--config", config, "--apply")
    assert code == 1
    assert "refused: nothing says which jobs are this run's: set job_name in [runs.slurm]" in out
    assert len(names(root)) == 7


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("keep_lst = 3\n", "unknown key 'runs[0].checkpoints.keep_lst'. Did you mean 'keep_last'?"),
        ("rounds = [{ target = 100 }]\n", "save_interval"),
        (
            "rounds = [{ target = 9, save_interval = 1 }, { target = 9, save_interval = 2 }]\n",
            "in the order of their targets",
        ),
    ],
)
def test_a_bad_configuration_is_named(
    ask: Ask, root: Path, tmp_path: Path, more: str, said: str
) -> None:
    code, _, err = ask("list", "--config", configure(tmp_path, root, more))
    assert code == 2
    assert said in err

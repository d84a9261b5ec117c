"""`trainwatch checkpoints backup, backups, restore`, as people type them; and pruning that asks first."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.adapters.checkpoints.disk import DAY_S, NOW, names, save, track
from tests.app.checkpoints.test_command import Ask, ask, configure, root

__all__ = ["ask", "root"]


@pytest.fixture
def far(tmp_path: Path) -> Path:
    far = tmp_path / "far"
    far.mkdir()
    return far


@pytest.fixture
def config(tmp_path: Path, root: Path, far: Path) -> Path:
    """Every 30th and the newest are wanted."""
    return configure(
        tmp_path, root, f'[[runs.checkpoints.backups]]\nto = "{far}"\nevery = 30\nnewest = 1\n'
    )


def test_a_plan_until_it_is_applied_then_read_back_and_brought_back(
    ask: Ask, root: Path, far: Path, config: Path, tmp_path: Path
) -> None:
    code, out, err = ask("backup", "tr", "--config", config)
    assert (code, err) == (0, "nothing was copied: --apply does it\n")
    assert out.splitlines() == [
        f"{root}: 0 backed up, 3 due, 600 B to copy",
        f"  1.  global_step70  200 B  whole  to {far}/tr: one of the last 1",
        f"  2.  global_step60  200 B  whole  to {far}/tr: every 30",
        f"  3.  global_step30  200 B  whole  to {far}/tr: every 30",
    ]
    assert list(far.iterdir()) == []
    code, _, err = ask("backup", "tr", "--config", config, "--apply")
    assert code == 0
    assert err.splitlines()[0] == (
        f"tr: global_step70 is backed up at {far}/tr/global_step70, and was read back"
    )
    assert ask("backup", "tr", "--config", config)[1].startswith(f"{root}: 3 backed up, 0 due")
    assert f"backed up at {far}/tr" in ask("list", "tr", "--config", config)[1]

    code, out, err = ask("backups", "tr", "--config", config, "--verify")
    assert code == 0
    assert out.splitlines()[0] == f"{far}/tr: 3 backups, 600 B"
    assert err.count("every byte is as its manifest says") == 3
    back = tmp_path / "back"
    code, out, err = ask("restore", "global_step30", "tr", "--config", config, "--to", back)
    assert (code, err) == (0, "nothing was restored: --apply does it\n")
    assert not back.exists()
    code, _, err = ask("restore", "global_step30", "--from", far / "tr", "--to", back, "--apply")
    assert (code, "every checksum is that of its manifest" in err) == (0, True)
    assert names(back) == [30]
    code, _, err = ask("restore", "global_step30", "--from", far / "tr", "--to", root, "--apply")
    assert code == 1
    assert "is there already: nothing is ever restored over anything" in err


def test_what_is_damaged_there_is_said_and_not_restored(
    ask: Ask, far: Path, config: Path, tmp_path: Path
) -> None:
    ask("backup", "tr", "--config", config, "--apply")
    shard = next((far / "tr" / "global_step60").iterdir())
    shard.write_bytes(b"X" + shard.read_bytes()[1:])
    code, _, err = ask("backups", "tr", "--config", config, "--verify")
    assert code == 1
    assert f"{shard.name} is damaged: its checksum" in err
    back = tmp_path / "back"
    code, _, err = ask("restore", "global_step60", "--from", far / "tr", "--to", back, "--apply")
    assert code == 1
    assert "is damaged in the backup" in err
    assert names(back) == []


def test_nothing_goes_that_is_wanted_elsewhere_and_is_not_there(
    ask: Ask, root: Path, far: Path, config: Path
) -> None:
    code, out, _ = ask("prune", "tr", "--config", config)
    assert code == 0
    assert f"wanted as a backup at {far}/tr, and not there yet" in out
    assert ask("prune", "tr", "--config", config, "--apply")[0] == 0
    assert names(root) == [30, 60, 70]
    ask("backup", "tr", "--config", config, "--apply")
    (far / "tr" / "global_step30" / "mp_rank_00_model_states.pt").unlink()
    code, out, err = ask("prune", "tr", "--config", config, "--apply")
    assert code == 1
    assert "its backup at" in err
    assert "is not whole: global_step30/mp_rank_00_model_states.pt is gone" in err
    assert names(root) == [30, 60, 70]
    shutil.rmtree(far / "tr" / "global_step30")
    (far / "tr" / "global_step30.manifest.json").unlink()
    ask("backup", "tr", "--config", config, "--apply")
    assert ask("prune", "tr", "--config", config, "--apply")[0] == 0
    assert names(root) == [60, 70]


def test_where_the_place_cannot_be_asked_what_is_wanted_there_stays(
    ask: Ask, root: Path, far: Path, config: Path
) -> None:
    far.rmdir()
    code, out, _ = ask("prune", "tr", "--config", config, "--apply")
    assert code == 0
    assert "what is backed up is not known" in out
    assert names(root) == [30, 60, 70]
    code, out, _ = ask("backup", "tr", "--config", config, "--apply")
    assert code == 3
    assert f"{far}/tr does not exist (is it mounted?)" in out


def test_one_that_was_written_in_place_since_is_not_pruned_for_its_old_backup(
    ask: Ask, root: Path, far: Path, config: Path
) -> None:
    ask("backup", "tr", "--config", config, "--apply")
    shard = root / "global_step30" / "mp_rank_00_model_states.pt"
    shard.write_bytes(b"y" * 100)  # a folder's own time shows nothing of that
    os.utime(shard, (NOW - DAY_S, NOW - DAY_S))
    _, _, err = ask("prune", "tr", "--config", config, "--apply")
    assert 30 in names(root)
    assert "nothing" not in err


def test_to_a_place_that_is_named_on_the_command_line(ask: Ask, root: Path, far: Path) -> None:
    words = ("--to", far / "new", "--create", "--format", "tar", "--content", "weights", "--apply")
    code, _, err = ask("backup", root, *words, "--milestone", "20")
    assert (code, f"{far}/new/global_step20-weights" in err) == (0, True)
    assert ask("backup", root, *words, "--only", "global_step10")[0] == 0
    found = json.loads(ask("backups", "--at", far / "new", "--json")[1])
    heads = found["shelf"]["backups"]
    assert sorted(head["label"] for head in heads) == [
        "global_step10-weights",
        "global_step20-weights",
    ]
    assert {(head["format"], head["content"], head["bytes"]) for head in heads} == {
        ("tar", "weights", 100)
    }


def test_a_half_written_one_is_refused_by_name(ask: Ask, root: Path, far: Path) -> None:
    save(root, 80, shards=("mp_rank_00_model_states.pt",))
    track(root, 70)
    code, out, _ = ask("backup", root, "--to", far, "--only", "global_step80", "--apply")
    assert code == 1
    assert "refused: global_step80 is writing: latest names 70, before it" in out
    assert list(far.iterdir()) == []


def test_two_at_once_are_refused(ask: Ask, far: Path, config: Path, tmp_path: Path) -> None:
    from trainwatch.app import wirebackups

    with wirebackups._backing_up(tmp_path / "state"):
        code, _, err = ask("backup", "tr", "--config", config, "--apply")
    assert code == 3
    assert "another backup is being made: they are made one at a time" in err
    assert list(far.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("backup",), "nothing says where"),
        (("backup", "--to", "/kept"), "say which: --only NAME, --every N"),
        (("backup", "--every", "5"), "--every goes with --to only"),
        (("backup", "--to", "hf://models/me/x", "--every", "5"), "the Hub takes commits"),
        (
            ("backup", "--to", "s3://key:planted-secret@bucket", "--every", "5"),
            "a token or a password",
        ),
        (("backup", "--to", "kept", "--every", "5"), "'kept' is no place"),
        (("backups",), "no place for backups is configured"),
        (("backups", "--at", "/nowhere/at/all"), "does not exist (is it mounted?)"),
        (("restore", "global_step10", "--to", "/x"), "no place for backups is configured"),
    ],
)
def test_what_is_refused_says_what_to_do(
    ask: Ask, root: Path, words: tuple[str, ...], said: str
) -> None:
    at = () if "--at" in words else (root,)
    code, out, err = ask(*words, *at)
    assert code in (1, 2)
    assert said in out + err
    assert "planted" not in out + err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            'to = "/kept"',
            "runs[0].checkpoints.backups[0]: it wants no checkpoint: set every, newest",
        ),
        ('to = "/kept"\nevry = 3', "unknown key 'runs[0].checkpoints.backups[0].evry'"),
        ('to = "/kept"\nevery = 0', "every"),
        ('to = "/kept"\nevery = 5\ncontent = "half"', "content"),
        ('to = "kept"\nevery = 5', "runs[0].checkpoints.backups[0].to: 'kept' is no place"),
        ("every = 5", "to"),
    ],
)
def test_a_bad_configuration_is_named(
    ask: Ask, root: Path, tmp_path: Path, more: str, said: str
) -> None:
    config = configure(tmp_path, root, f"[[runs.checkpoints.backups]]\n{more}\n")
    code, _, err = ask("list", "--config", config)
    assert code == 2
    assert said in err
    assert str(config) in err

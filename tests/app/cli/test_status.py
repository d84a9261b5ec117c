"""`status`, `watch` and `init` on a log, with a configuration, and with a state folder in disorder."""

import json
from pathlib import Path

import pytest

from tests.app.cli.logs import LINE
from trainwatch.app.cli import run
from trainwatch.core.beat import judged
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import Status


def test_status_of_a_log_that_grows(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["status", str(log), "--json"])
    first = json.loads(capsys.readouterr().out)
    with log.open("a") as file:
        file.write(LINE.format(n=21, s=21 * 512))
    run(["status", str(log), "--json"])
    second = json.loads(capsys.readouterr().out)
    assert (first["iteration"], second["iteration"]) == (20, 21)
    assert second["schema_version"] == 1
    assert second["sources"]["consumed_samples"] == "log"
    assert second["tokens_per_s"] is None


def test_status_without_anything_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status"]) == ExitCode.USAGE
    assert "no run is configured" in capsys.readouterr().err


def test_a_configured_run_by_name(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trainwatch.toml").write_text(
        f'[[runs]]\nname = "tr11"\nlog = "{log}"\n[runs.model]\nseq_length = 2048\n'
        "[runs.cluster]\ngpus = 8\n"
    )
    run(["status", "tr11", "--json"])
    status = json.loads(capsys.readouterr().out)
    assert status["run"] == "tr11"
    assert status["tokens_per_s"] == pytest.approx(512 * 2048 / 0.2636)
    assert status["sources"]["gpus"] == "config"
    assert run(["status", "tr12"]) == ExitCode.USAGE
    assert "neither a log nor a configured run (tr11)" in capsys.readouterr().err


def test_a_model_size_that_does_not_fit_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = "\n".join(
        f"  {key} {'.' * 20} {value}"
        for key, value in {
            "num_layers": 64,
            "hidden_size": 11600,
            "ffn_hidden_size": 20480,
            "seq_length": 2048,
            "padded_vocab_size": 50688,
        }.items()
    )
    path = tmp_path / "tr8.log"
    path.write_text(f"------ arguments ------\n{dump}\n" + LINE.format(n=1, s=512))
    (tmp_path / "trainwatch.toml").write_text(
        f'[[runs]]\nname = "tr8"\nlog = "{path}"\n[runs.model]\nparameters = 104e9\n'
    )
    run(["status", "tr8"])
    out = capsys.readouterr().out
    assert "has 65.48 B parameters, the configuration says 104 B" in out


def test_an_unwritable_state_folder_does_not_keep_status_from_reading(
    log: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir.write_text("a file is in the way")
    run(["status", str(log), "--json"])
    assert json.loads(capsys.readouterr().out)["iteration"] == 20


def test_watch_says_why_it_cannot_keep_anything(
    log: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state_dir.write_text("a file is in the way")
    assert run(["watch", str(log), "--once"]) == ExitCode.USAGE
    assert "--state-dir" in capsys.readouterr().err


def test_a_store_of_a_newer_version_is_left_alone(
    log: Path, state_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["watch", str(log), "--once"])
    (state,) = state_dir.glob("runs/*/state.json")
    kept = json.loads(state.read_text())
    state.write_text(json.dumps({**kept, "version": 7}))
    before = state.read_bytes()
    capsys.readouterr()
    assert run(["watch", str(log), "--once"]) == ExitCode.USAGE
    assert "newer trainwatch" in capsys.readouterr().err
    assert state.read_bytes() == before


def test_a_log_that_is_gone_leaves_the_history_readable(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["watch", str(log), "--once"])
    log.unlink()
    capsys.readouterr()
    code = run(["status", str(log), "--json"])
    status = json.loads(capsys.readouterr().out)
    assert (code, status["health"], status["iteration"]) == (ExitCode.UNKNOWN, "unknown", 20)
    assert "does not exist" in status["reason"]


def test_init_writes_a_configuration_that_works_and_overwrites_nothing(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "made.toml"
    assert run(["init", str(log), "--output", str(output)]) == 0
    capsys.readouterr()
    run(["status", "--config", str(output), "--json"])
    assert json.loads(capsys.readouterr().out)[0]["iteration"] == 20
    before = output.read_text()
    assert run(["init", str(log), "--output", str(output)]) == ExitCode.USAGE
    assert output.read_text() == before


HEARTBEATS = {"fresh": (-10.0, "ok"), "silent": (-400.0, "unknown"), "ahead": (400.0, "unknown")}


@pytest.mark.parametrize("name", [*HEARTBEATS, "none"])
def test_a_heartbeat_that_is_not_of_now_is_never_health(name: str) -> None:
    now = 1_790_000_000.0
    ago, health = HEARTBEATS.get(name, (None, "unknown"))
    beat = None if ago is None else now + ago
    published = Status(run="tr11", health="ok", heartbeat_at=beat)
    assert judged(published, now).health == health
    if name == "silent":  # a watcher that is configured to look every hour
        assert judged(published, now, silent_after_s=3600).health == "ok"


@pytest.mark.parametrize("words", [["status"], ["watch", "--once"], ["export"]], ids=str)
def test_a_log_in_the_place_of_another_is_read(
    log: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run([*words, str(log)])
    log.unlink()
    log.write_text("".join(LINE.format(n=n, s=n * 512) for n in range(900, 905)))
    run([*words, str(log)])
    capsys.readouterr()
    run(["status", str(log), "--json"])
    assert json.loads(capsys.readouterr().out)["iteration"] == 904

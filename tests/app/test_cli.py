"""The command line as a tired person meets it: messages, streams and exit codes."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.logs.making import iteration
from trainwatch.app.cli import COMMANDS, run
from trainwatch.core.beat import judged
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import Status

LINE = (
    " [2026-05-28 13:01:07.645545] iteration {n:8d}/   45776 | consumed samples: {s:12d} | elapsed "
    "time per iteration (ms): 263.6 | throughput per GPU (TFLOP/s/GPU): 177.2 | learning rate: "
    "1.092267E-04 | global batch size:   512 | lm loss: 8.184724E+00 | loss scale: 1.0 | grad norm: "
    "1.128 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)


@pytest.fixture(autouse=True)
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "main_log.txt"
    path.write_text("".join(LINE.format(n=n, s=n * 512) for n in range(1, 21)))
    return path


def test_every_verb_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in COMMANDS:
        assert run([verb, "--help"]) == 0
        text = capsys.readouterr().out
        assert f"trainwatch {verb}" in text
        assert "Example" in text or verb == "calc", verb


def test_a_verb_nobody_knows_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stauts"]) == ExitCode.USAGE
    assert "Did you mean 'status'?" in capsys.readouterr().err


def test_a_log_in_place_of_a_verb_is_told_what_to_do(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([str(log)]) == ExitCode.USAGE
    assert f"trainwatch tui {log}" in capsys.readouterr().err


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


@pytest.mark.parametrize("verb", ["status", "replay", "init"])
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_log_is_said_so(
    tmp_path: Path, kind: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_bad(tmp_path, kind)
    code, message = BAD[kind]
    assert run([verb, str(path)]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert str(path) in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("verb", ["status", "export", "replay", "watch", "init", "tui"])
def test_a_name_that_is_no_utf8_is_refused(
    verb: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / os.fsdecode(b"odd-\xff.out")
    try:
        odd.write_bytes(log.read_bytes())
    except OSError:
        pytest.skip("this filesystem takes no name that is not UTF-8")
    assert run([verb, str(odd)]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert "odd-\ufffd.out: this name is not UTF-8; rename it" in said.err


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


def test_watch_writes_a_recording_that_replays_to_the_same(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    run(["watch", str(log), "--once", "--record", str(recording)])
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == 0
    state = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (state["kind"], state["status"]["iteration"]) == ("state", 20)


def test_a_recording_that_is_cut_in_the_middle_names_the_line_and_tells_the_rest(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    run(["watch", str(log), "--once", "--record", str(recording)])
    with recording.open("ab") as file:
        file.write(b'{"at": 1628376000.0, "log": {"pa')
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 2 is no observation" in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 20


def test_what_is_recorded_after_a_kill_is_not_spoilt_by_half_a_line(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    recording.write_bytes(b'{"at": 1628376000.0, "log": {"pa')
    run(["watch", str(log), "--once", "--record", str(recording)])
    capsys.readouterr()
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 1 is no observation" in got.err
    assert "line 2" not in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 20


def test_a_recording_out_of_order_is_judged_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "run.jsonl"
    lines = [
        {"at": 1_790_003_600.0 - 1_000 * n, "log": {"text": iteration(n + 1) + "\n"}}
        for n in range(6)
    ]
    recording.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(["replay", str(recording), "--json"]) == ExitCode.USAGE
    got = capsys.readouterr()
    assert f"{recording} line 2 is 16 min 40 s earlier than one before it" in got.err
    assert "and 2 more lines like these" in got.err
    assert json.loads(got.out.splitlines()[-1])["status"]["iteration"] == 6


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


def python_m(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "trainwatch", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_version_is_printed_without_loading_much() -> None:
    code = "import sys; sys.argv = ['x', '--version']\nfrom trainwatch.__main__ import main\n"
    code += "try: main()\nexcept SystemExit: print(sorted(m for m in sys.modules if 'click' in m))"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert got.stdout.splitlines()[1] == "[]"


@pytest.mark.parametrize(
    ("verb", "forbidden"),
    [
        ("watch", ("textual", "rich", "numpy", "huggingface_hub")),
        ("status", ("textual", "rich", "numpy", "huggingface_hub", "apscheduler")),
    ],
)
def test_commands_load_only_their_rooms(log: Path, verb: str, forbidden: tuple[str, ...]) -> None:
    arguments = [verb, str(log)] + (["--once"] if verb == "watch" else [])
    code = (
        f"import sys\nfrom trainwatch.app.cli import run\nrun({arguments!r})\n"
        "print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr)"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(got.stderr.split()).isdisjoint(forbidden)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_completes_verbs(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert "_TRAINWATCH_COMPLETE" in capsys.readouterr().out
    if shell == "bash":
        script = 'eval "$(python -m trainwatch completion bash)"; complete -p trainwatch'
        environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
        got = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        assert "_trainwatch_completion" in got.stdout


def test_a_reader_that_goes_away_is_no_error(log: Path) -> None:
    script = f"{sys.executable} -m trainwatch replay {log} | head -c 1; exit ${{PIPESTATUS[0]}}"
    got = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (got.returncode, got.stderr) == (0, "")


@pytest.fixture
def several(log: Path, tmp_path: Path) -> Path:
    """A configuration with a glob over a good log, an empty one, a packed one, and one yet to come."""
    for name in ("good", "empty", "packed"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs" / "good" / "main_log.txt").write_text(log.read_text())
    (tmp_path / "runs" / "empty" / "main_log.txt").touch()
    packed = gzip.compress(log.read_bytes())
    (tmp_path / "runs" / "packed" / "main_log.txt").write_bytes(packed)
    path = tmp_path / "trainwatch.toml"
    path.write_text(
        '[[runs]]\nlog = "runs/*/main_log.txt"\n[runs.model]\nseq_length = 2048\n'
        '[[runs]]\nname = "later"\nlog = "runs/later/main_log.txt"\n'
    )
    return path


@pytest.mark.usefixtures("several")
def test_one_bad_log_does_not_hide_the_other_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--json"]) == ExitCode.UNKNOWN
    found = {one["run"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["good"]["iteration"] == 20
    reasons = {name: found[name]["reason"] for name in ("empty", "packed", "later")}
    assert "is empty so far" in reasons["empty"]
    assert "is compressed" in reasons["packed"]
    assert "does not exist" in reasons["later"]
    assert {found[name]["health"] for name in reasons} == {"unknown"}


@pytest.mark.usefixtures("several")
def test_a_run_found_by_a_glob_is_known_by_name_and_by_log(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "runs" / "good" / "main_log.txt"
    for word in ("good", "runs/good/main_log.txt", str(log)):
        run(["status", word, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert (found["run"], found["seq_length"]) == ("good", 2048), word
    assert len(list((tmp_path / "state" / "runs").iterdir())) == 1


@pytest.mark.usefixtures("several")
def test_watch_leaves_out_what_is_no_log_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "--once"]) == ExitCode.UNKNOWN
    captured = capsys.readouterr()
    assert "left out: runs/packed/main_log.txt is compressed" in captured.err
    assert "empty   unknown: the log is empty so far" in captured.out
    assert run(["watch", "--once", "good"]) == ExitCode.OK


WATCHED = {
    "folder": (ExitCode.USAGE, "is a folder"),
    "gzip": (ExitCode.USAGE, "is compressed"),
    "missing": (ExitCode.UNKNOWN, "does not exist"),
    "empty": (ExitCode.UNKNOWN, "is empty so far"),
    "binary": (ExitCode.UNKNOWN, "holds no format"),
}


@pytest.mark.parametrize("kind", WATCHED)
def test_what_is_no_log_is_not_watched_as_if_it_were(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message = WATCHED[kind]
    path = make_bad(tmp_path, kind)
    assert run(["watch", "--once", str(path)]) == code
    captured = capsys.readouterr()
    assert message in captured.out + captured.err
    if kind in BAD:  # and a look after that one says the same as a first one
        assert run(["init", str(path)]) == BAD[kind][0]
        assert BAD[kind][1] in capsys.readouterr().err


def test_a_pattern_that_matches_nothing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trainwatch.toml").write_text('[[runs]]\nlog = "nowhere/*.log"\n')
    assert run(["status"]) == ExitCode.USAGE
    assert "no log matches what is configured: nowhere/*.log" in capsys.readouterr().err


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


def test_a_recording_is_never_written_into_a_file_that_is_none(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = log.read_bytes()
    assert run(["watch", "--once", str(log), "--record", str(log)]) == ExitCode.USAGE
    assert "is not a recording" in capsys.readouterr().err
    assert log.read_bytes() == before

"""trainwatch doctor: real folders, real commands, real sockets; what is amiss ends in its exit code."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.doctor.saying import RUN, Found, configured
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode

pytestmark = pytest.mark.usefixtures("here")


def test_without_a_configuration_it_says_what_to_do_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["doctor"]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "trainwatch init LOG -o trainwatch.toml" in told
    assert "no Slurm on this machine: nothing here waits in a queue" in told
    assert "all is well" in told
    assert "\x1b" not in told


def test_a_log_and_nothing_else(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, RUN)
    found = Found(capsys)
    assert found.code == ExitCode.OK
    assert found["run tr11/log"]["saw"].startswith(f"{here}/main_log.txt, ")
    assert "iterations 1 to 20" in found["run tr11/log"]["saw"]
    assert found["state/folder"]["saw"] == f"{here}/state is not there yet, and can be made"
    assert found.amiss() == set()
    assert not (here / "state").exists()


def test_after_a_look_the_watcher_and_the_state_are_known(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(here, RUN)
    run(["watch", "--once"])
    found = Found(capsys)
    assert found["run tr11/watcher"]["saw"].endswith("no watcher stays on it now")
    assert found["state/clock"]["verdict"] == "ok"
    assert found["state/rights"]["saw"] == "0700: not for everybody"
    (here / "state").chmod(0o777)
    assert Found(capsys)["state/rights"]["verdict"] == "wrong"


WRONG: dict[str, tuple[str, str, str]] = {
    "a typo": ('state_dri = "x"', "configuration/file", "line 1: unknown key 'state_dri'. Did you"),
    "a value": (
        f"{RUN}[cron]\ninterval_min = 0",
        "configuration/file",
        "line 5: cron.interval_min",
    ),
    "no TOML": ("[[runs]", "configuration/file", "is not TOML"),
    "a format": ("[formats.x]\npattern = '('", "configuration/file", "formats.x"),
    "no log matches": (
        '[[runs]]\nlog = "no/*.txt"',
        "configuration/runs",
        "no log matches what is",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, check, saw = WRONG[name]
    configured(here, text)
    found = Found(capsys)
    assert found.code == ExitCode.USAGE
    assert found[check]["verdict"] == "wrong"
    assert saw in found[check]["saw"]
    assert found["program/python"]["verdict"] == "ok"


def test_a_configuration_that_is_not_there(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = Found(capsys, "--config", "nowhere.toml")
    assert (found.code, found.amiss()) == (ExitCode.USAGE, {"configuration/file"})


def test_everybody_may_write_the_configuration(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(here, RUN)
    (here / "trainwatch.toml").chmod(0o666)
    found = Found(capsys)["configuration/rights"]
    assert (found["verdict"], found["do"]) == ("wrong", "chmod go-w trainwatch.toml")


def test_a_log_that_is_missing_and_a_state_folder_that_is_a_file(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "state").write_text("no folder")
    configured(here, '[[runs]]\nname = "gone"\nlog = "gone/main_log.txt"')
    found = Found(capsys)
    assert found.code == ExitCode.UNHEALTHY
    assert found.amiss() == {"run gone/log", "state/folder"}
    assert found["run gone/log"]["saw"].endswith("main_log.txt does not exist")
    assert "trainwatch init" in found["run gone/log"]["do"]


LOGS = {
    "a pipe": ("wrong", "is not a file (a pipe or a device)"),
    "a folder": ("wrong", "is a folder; name the log in it"),
    "packed": ("wrong", "is compressed"),
    "no log": ("unknown", "neither its beginning nor its end holds a format"),
    "empty": ("warning", "is empty so far"),
}


@pytest.mark.parametrize("kind", LOGS)
def test_what_is_no_log(kind: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, content = here / "it.txt", {"packed": b"\x1f\x8b\x08", "no log": b"hello\n", "empty": b""}
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.write_bytes(content[kind])
    configured(here, '[[runs]]\nname = "x"\nlog = "it.txt"')
    found, (verdict, saw) = Found(capsys)["run x/log"], LOGS[kind]
    assert found["verdict"] == verdict
    assert saw in found["saw"]


def test_checkpoints_that_the_tracker_does_not_know(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ck" / "global_step10").mkdir(parents=True)
    (here / "ck" / "latest").write_text("global_step20")
    configured(here, RUN, f'[runs.checkpoints]\npath = "{here}/ck"')
    found = Found(capsys)
    assert found.amiss() == {"run tr11/checkpoints"}
    (here / "ck" / "latest").write_text("global_step10")
    assert Found(capsys).code == ExitCode.OK


def test_without_slurm_jobs_are_said_to_be_elsewhere(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(here, RUN, '[runs.slurm]\njob_name = "tr11*"', '[cron]\npartition = "cpu"')
    found = Found(capsys)
    assert (found.code, found.verdict) == (ExitCode.OK, "warning")
    assert "[cron], [runs.slurm] is about jobs" in found["slurm/commands"]["saw"]
    assert "login node" in found["slurm/commands"]["do"]


def test_who_is_told_and_no_secret_is(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        base = f"http://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("GOOD", "json://127.0.0.1:1/very-secret-path")
        monkeypatch.setenv("BAD", "nosuch://very-secret-path")
        monkeypatch.setenv("PING", f"{base}/very-secret-path")
        kinds = {"good": "GOOD", "bad": "BAD", "unset": "NO_SUCH_VARIABLE"}
        tables = [f'[receivers.{name}]\nurl_env = "{value}"' for name, value in kinds.items()]
        more = f'[receivers.am]\nkind = "alertmanager"\nurl = "{base}"\n[receivers.dead]\nkind = "deadman"'
        configured(here, RUN, *tables, f'{more}\nurl_env = "PING"')
        found = Found(capsys)
        server.setblocking(False)
        for _ in range(2):  # both were connected to, and told nothing
            client, _address = server.accept()
            assert client.recv(10) == b""
            client.close()
        with pytest.raises(BlockingIOError):
            server.accept()
    assert found.amiss() == {"alerts/bad", "alerts/unset"}
    assert found["alerts/good"]["do"] == "trainwatch alerts test good sends one message"
    assert "very-secret" not in json.dumps(found.checks)


def test_what_is_sent_and_where_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    route = '[[sync]]\nname = "{}"\nroot = "{}"\nwhat = ["*.txt"]\nto = "{}"'
    configured(
        here,
        RUN,
        route.format("well", here, here / "bin"),
        route.format("gone", here / "nowhere", here / "nowhere"),
        route.format("hub", here, "hf://datasets/a/b"),
        route.format("odd", here, "nosuch://x/y"),
    )
    found = Found(capsys, "--deadline", "5")
    assert found["sync/well from"]["saw"] == f"{here}: 1 file meant by `what`"
    wrong = {"sync/gone from", "sync/gone to", "hub/login", "sync/odd to"}
    assert found.amiss("wrong") == wrong
    assert found["hub/login"]["do"] == "hf auth login"


def test_the_hub_that_answers(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    route = f'[[sync]]\nname = "hub"\nroot = "{here}"\nwhat = ["*.txt"]\nto = "hf://datasets/a/b"'
    configured(here, RUN, route)
    monkeypatch.setenv("HF_TOKEN", "hf_verysecrettoken")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        found = Found(capsys)
    assert (found.amiss(), found["hub/login"]["saw"]) == (set(), "a token is there (HF_TOKEN)")
    assert "verysecret" not in json.dumps(found.checks)
    assert Found(capsys)["hub/endpoint"]["verdict"] == "unknown"


def test_backups_scripts_and_what_is_made_for_others(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "hourly").mkdir()
    (here / "hourly" / "forgotten.sh").touch()
    (here / "no-script").write_text("echo\n")
    configured(
        here,
        RUN,
        f'[runs.hands]\nresubmit = "{here}/no-script"',
        f'[[runs.checkpoints.backups]]\nto = "{here}/unmounted"\nnewest = 1',
        f'[[runs.checkpoints.backups]]\nto = "{here}/made"\nnewest = 1\ncreate = true',
        "[runs.public]\nenabled = true",
        f'[runs.tensorboard]\ndir = "{here}/main_log.txt"',
        f'[scripts]\nhourly = ["{here}/hourly"]\ndaily = ["{here}/main_log.txt"]',
    )
    found = Found(capsys)
    assert found.amiss("wrong") == {
        "run tr11/backup 1",
        "run tr11/resubmit",
        "run tr11/tensorboard",
        f"scripts/daily {here}/main_log.txt",
    }
    assert found["run tr11/public page"]["saw"].endswith("no [[sync]] route sends it")
    assert "chmod +x" in found[f"scripts/hourly {here}/hourly"]["do"]
    assert not (here / "made").exists()


def test_names_are_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = here / "[bold]\x1b[31m\nx.log"
    odd.write_text((here / "main_log.txt").read_text())
    configured(here, '[[runs]]\nlog = "*.log"')
    assert run(["doctor"]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "run [bold] [31m x" in told
    assert all(line.isprintable() for line in told.splitlines())


def test_no_file_is_left_behind(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configured(here, RUN)
    run(["watch", "--once"])
    before = sorted(str(path) for path in here.rglob("*"))
    Found(capsys)
    assert sorted(str(path) for path in here.rglob("*")) == before


def test_an_installation_that_is_broken_is_said_so(here: Path) -> None:
    """A module of our own stands for a library that is missing: which ones are loaded first may change."""
    script = (
        "import sys; sys.modules['trainwatch.app.wiredoctor'] = None\n"
        "from trainwatch.app.cli import run; sys.exit(run(['doctor', '--json']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == ExitCode.UNHEALTHY
    (check,) = json.loads(done.stdout)["checks"]
    assert "trainwatch.app.wiredoctor" in check["saw"]
    assert "pip install" in check["do"]


def test_only_so_many_runs_are_looked_at(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(60):
        (here / f"run{number}.log").write_text((here / "main_log.txt").read_text())
    configured(here, '[[runs]]\nlog = "*.log"')
    found = Found(capsys)
    assert found.code == ExitCode.OK
    logs = [one for one in found.checks if one["name"] == "log"]
    assert (len(logs), {one["verdict"] for one in logs}) == (50, {"ok"})
    assert any(one["saw"] == "60 runs: only the first 50 are looked at" for one in found.checks)

"""trainwatch sync as people type it, over the real client: what it says, and what it never says."""

import os
import threading
from pathlib import Path

import psutil
import pytest

from tests.app.syncing.conftest import Command
from tests.hub.memory import TOKEN, Fault
from trainwatch.app import config
from trainwatch.core.errors import UsageError

NAME = "models/me/tr11"
HUB = f'name = "hub"\nto = "hf://{NAME}"\ninto = "logs"'


def test_a_dry_run_says_what_would_go_where_and_the_run_does_it_once(
    command: Command, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    command.configure(HUB, f'name = "disk"\nto = "{archive}"')
    (command.root / "main_log.txt").write_bytes(b"a line\n" * 1000)
    (command.root / "out.json").symlink_to("/etc/passwd")
    dry = command("--dry-run")
    assert dry.returncode == 0
    assert dry.stdout.splitlines() == [
        "hub: would send 1 file, 7 kB to hf://models/me/tr11/logs",
        "      7 kB  main_log.txt -> main_log.txt",
        f"disk: would send 1 file, 7 kB to {archive}",
        "      7 kB  main_log.txt -> main_log.txt",
    ]
    assert "hub: not sent: out.json: it is a link that leads out of the root" in dry.stderr
    assert not (command.state / "sync").exists()
    assert command.hub.requests == []

    command.hub.make(NAME)
    first = command()
    assert first.returncode == 1
    assert first.stdout.splitlines() == [
        "hub: sent 1 file, 7 kB to hf://models/me/tr11/logs",
        f"disk: {archive} does not exist (is it mounted?): create it, or set create = true",
    ]
    archive.mkdir()
    asked = len(command.hub.requests)
    second = command()
    assert second.returncode == 0
    assert second.stdout.splitlines() == [
        "hub: nothing is due",
        f"disk: sent 1 file, 7 kB to {archive}",
    ]
    assert len(command.hub.requests) == asked
    assert (archive / "main_log.txt").read_bytes() == b"a line\n" * 1000


def test_a_planted_token_appears_nowhere(command: Command, tmp_path: Path) -> None:
    """A Hub that repeats the token in its errors, and a process list that everybody reads."""
    body = {"error": f"bad token {TOKEN} in https://user:{TOKEN}@huggingface.co"}
    said = {"X-Error-Message": f"Invalid token {TOKEN}", "X-Error-Code": "RepoNotFound"}
    log = command.root / "main_log.txt"
    log.write_text(" iteration 1\n" * 100)
    command.hub.make(NAME)
    command.hub.faults += [
        Fault("commit", 400, said, times=1, body=body),
        Fault("preupload", 403, said, times=1, body=body),
        Fault("preupload", 503, said, times=1, body=body),
    ]
    command.configure(HUB)
    command.environment["TRAINWATCH_DEBUG"] = "1"
    seen, stop = set[str](), threading.Event()
    lists = threading.Thread(target=_process_list, args=(seen, stop))
    lists.start()
    runs = [command(), command(), command("--dry-run"), command(), command()]
    with command.config.open("a") as file:
        file.write(f'[[runs]]\nlog = "{log}"\nname = "tr11"\n')
    runs += [command("--once", verb="watch"), command("--json", verb="status")]
    runs += [command(verb="doctor"), command("--json", verb="doctor"), command(verb="metrics")]
    stop.set()
    lists.join()
    assert [run.returncode for run in runs[:5]] == [1, 3, 0, 3, 0]
    assert all(run.stdout for run in runs[6:])
    kept = [path for path in command.state.rglob("*") if path.is_file()]
    assert any(path.name == "hub.json" for path in kept)
    secret = TOKEN.removeprefix("hf_")
    for text in (*(run.stdout + run.stderr for run in runs), *seen):
        assert secret not in text
    assert [path for path in kept if secret.encode() in path.read_bytes()] == []
    assert any("adapters.sync.child" in one for one in seen)


# In every process: the client fails with all it was given, and so does what reads the log.
BROKEN = """
import os, sys
class Breaks:
    def find_spec(self, name, path, target=None):
        if name in ("huggingface_hub._commit_api", "trainwatch.app.reporting"):
            raise RuntimeError(f"cannot: {os.environ['HF_TOKEN']}, {os.environ['SITE_PASSWORD']}")
sys.meta_path.insert(0, Breaks())
"""


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_crash_does_not_print_what_it_was_given(
    command: Command, tmp_path: Path, debug: str
) -> None:
    password = "correct horse battery"
    (tmp_path / "sitecustomize.py").write_text(BROKEN)
    command.environment |= {
        "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
        "SITE_PASSWORD": password,
        "TRAINWATCH_DEBUG": debug,
    }
    log = command.root / "main_log.txt"
    log.write_text(" iteration 1\n" * 100)
    command.configure(HUB)
    runs = [command(), command(str(log), verb="report")]
    for run in runs:
        assert "cannot: ***, ***" in run.stdout + run.stderr
    assert ("Traceback" in runs[1].stderr) is bool(debug)
    said = "".join(run.stdout + run.stderr for run in runs)
    kept = [path.read_text(errors="replace") for path in command.state.rglob("*") if path.is_file()]
    for secret in (TOKEN.removeprefix("hf_"), password):
        assert secret not in said
        assert not any(secret in text for text in kept)


def _process_list(seen: set[str], stop: threading.Event) -> None:
    while not stop.wait(0.05):
        for process in psutil.process_iter():
            try:
                seen.add(" ".join(process.cmdline()))
            except psutil.Error:
                continue


WRONG = {
    "a token in a place": ('to = "https://hf_abcdefghijklmnop@huggingface.co/a/b"', "a token or a"),
    "a password in a place": ('to = "sftp://ada:secret@host/folder"', "a token or a password"),
    "no place on the Hub": ('to = "hf://me/tr11"', "write hf://models/ORG/NAME"),
    "a folder in a place on the Hub": ('to = "hf://models/me/tr11/logs"', "goes into `into`"),
    "a relative place": ('to = "archive"', "a folder that begins with / or ~"),
    "out of the root": ('to = "/a"\nwhat = ["../**"]', "'..' leads out of the folder"),
    "no globs": ('to = "/a"\nwhat = []', "what"),
    "an absolute glob": ('to = "/a"\nwhat = ["/etc/*"]', "a glob below the root"),
    "out of the place": ('to = "/a"\ninto = "../b"', "'..' leads out"),
    "a name with a slash": ('to = "/a"\nname = "a/b"', "a name of letters"),
    "too many commits": ('to = "hf://models/a/b"\nmost_commits_per_hour = 500', "most_commits"),
}


@pytest.mark.parametrize(("keys", "words"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_in_the_configuration_is_named(keys: str, words: str) -> None:
    defaults = {"name": '"logs"', "root": '"/run"', "what": '["**"]'}
    more = [f"{k} = {v}" for k, v in defaults.items() if f"{k} =" not in keys]
    with pytest.raises(UsageError) as raised:
        config.parse("\n".join(["[[sync]]", keys, *more]))
    assert words in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "abcdefghij" not in str(raised.value)


def test_routes_to_one_repository_share_what_the_hub_takes() -> None:
    table = '[[sync]]\nname = "{}"\nroot = "/run"\nwhat = ["**"]\nto = "hf://models/a/b"\n'
    limit = "most_commits_per_hour = 100\n"
    with pytest.raises(UsageError, match="200 commits an hour, and the Hub takes 128"):
        config.parse(table.format("a") + limit + table.format("b") + limit)
    with pytest.raises(UsageError, match="two routes of the name 'a'"):
        config.parse(table.format("a") + table.format("a"))

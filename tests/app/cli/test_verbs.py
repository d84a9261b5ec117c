"""The verbs: their help, the nearest one, completion, and what they load."""

import subprocess
import sys
from pathlib import Path

import pytest

from trainwatch.app.cli import COMMANDS, run
from trainwatch.core.errors import ExitCode


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


def test_the_version_is_printed_without_loading_much() -> None:
    code = "import sys; sys.argv = ['x', '--version']\nfrom trainwatch.__main__ import main\n"
    code += "try: main()\nexcept SystemExit: print(sorted(m for m in sys.modules if 'click' in m))"
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert got.stdout.splitlines()[1] == "[]"


@pytest.mark.parametrize(
    ("verb", "forbidden"),
    [
        ("watch", ("textual", "rich", "numpy", "huggingface_hub", "prometheus_client", "http")),
        (
            "status",
            ("textual", "rich", "numpy", "huggingface_hub", "apscheduler", "prometheus_client"),
        ),
        ("metrics", ("textual", "rich", "numpy", "huggingface_hub", "apscheduler")),
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

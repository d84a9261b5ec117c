"""A few seconds of what runs for an hour by hand; and that it would find, tell and repeat what is wrong."""

import subprocess
import sys
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from tests.fuzz import mutants, play
from tests.fuzz.memory import MB, trend
from tests.fuzz.play import Failure, Plan
from tests.fuzz.steps import KEYS, Step, encoded, steps
from tests.fuzz.subject import Failed
from trainwatch.app.tui.keys import ALERTS, ANYWHERE, BACK, CHARTS, FLEET, LISTS, LOG


@pytest.mark.parametrize("what", ["run", "fleet", "terminal"])
def test_a_few_seconds(what: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.fuzz", "--what", what, "--for", "4s", "--seed", "5"]
    done = subprocess.run(
        [*words, "--failures", str(tmp_path)], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, [*tmp_path.iterdir()]) == (0, []), done.stdout + done.stderr
    assert f"{what}: alive after" in done.stdout
    assert "RSS" in done.stdout


def test_the_same_seed_takes_the_same_steps() -> None:
    one, same, other = (
        list(islice(steps(seed), 500)) for seed in ("1 run 0", "1 run 0", "2 run 0")
    )
    assert one == same != other
    assert {step.kind for step in one} == {"input", "resize", "see", "rest"}


def test_the_same_number_is_the_same_snapshot() -> None:
    for number in range(40):
        first, again = (repr(mutants.scene(number).snapshot.status) for _ in "12")
        assert first == again
        one, same = (repr(mutants.runs(number)) for _ in "12")
        assert one == same


def test_every_key_of_the_tables_is_pressed() -> None:
    tables = (ANYWHERE, CHARTS, LISTS, LOG, ALERTS, FLEET, BACK)
    wanted = {each for table in tables for key in table for each in key.keys.split(",")}
    assert wanted <= set(KEYS)
    pressed = {step.text for step in islice(steps("0"), 20_000) if step.kind == "input"}
    assert {key for key in wanted - {"q", "ctrl+c"} if encoded(key) not in pressed} == set()


def test_what_is_sent_for_a_key() -> None:
    shown = {"question_mark": "?", "left_square_bracket": "[", "plus": "+", "escape": "\x1b"}
    shown |= {"up": "\x1b[A", "tab": "\t", "shift+tab": "\x1b[Z", "enter": "\r", "space": " "}
    assert {key: encoded(key) for key in shown} == shown


class Broken:
    """Fails at its third step."""

    name, left = "run", False

    def __init__(self) -> None:
        self.taken = 0

    def rss_bytes(self) -> int:
        return MB

    async def begin(self) -> None:
        self.taken = 0

    async def do(self, step: Step) -> None:
        self.taken += 1
        if self.taken == 3:
            raise Failed(f"no third step: {step.kind}")

    async def recover(self) -> None:
        raise AssertionError("it comes to no recovery")

    async def end(self) -> None:
        """Nothing is held."""


async def test_a_failure_is_kept_and_can_be_had_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(play, "subject_of", lambda _: Broken())
    assert await play.play(Plan("run", 60.0, 7, failures=tmp_path)) == 1
    said = capsys.readouterr().out
    file = tmp_path / "fuzz-run-7-0.json"
    assert "step 3; again: --what run --seed 7 --session 0" in said
    assert f"--replay {file}" in said
    kept = msgspec.json.decode(file.read_bytes(), type=Failure)
    assert kept.steps == list(islice(steps("7 run 0"), 3))
    assert "no third step" in kept.why
    with pytest.raises(Failed, match="no third step"):
        await play.replay(file)


def test_memory_that_grows_and_memory_that_is_flat() -> None:
    warm = [(float(at), (50 + at // 6) * MB) for at in range(0, 720, 5)]  # fills its caches
    flat = [(float(at), 170 * MB + at % 3 * MB) for at in range(720, 3600, 5)]
    found = trend(warm + flat)
    assert found.slope_mb == pytest.approx(0, abs=0.1)
    assert (found.begin_mb, found.most_mb) == (171, 172)
    grown = trend([(float(at), 100 * MB + at * MB // 10) for at in range(0, 3600, 5)])
    assert grown.slope_mb == pytest.approx(60, rel=0.01)
    assert trend([(0.0, MB)]).slope_mb is None
    assert "+60.00 MB in 10 min" in str(grown)

"""Other runs to compare with: real stores, found by a name or a log."""

from pathlib import Path

import pytest

from tests.app.viewed import NOW, iteration
from trainwatch.app.comparing import Others
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.viewing import Source
from trainwatch.app.wire import Site
from trainwatch.core.model.snapshot import Other, Wanted

COLUMNS = frozenset({"iteration", "loss"})


class House:
    """Logs, of which some were watched."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state_dir = folder, folder / "state"
        self.site = Site(Settings(), self.state_dir)

    def log(self, name: str, iterations: int = 20, *, watched: bool = True) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(iteration(n) for n in range(1, iterations + 1)))
        if watched:
            one = self.site.watched(self.site.run_of(str(path)))
            while one.tick(NOW, 0.0):
                pass
            one.close()
        return str(path)

    def others(self, log: str) -> Others:
        source: Source = self.site.screen(self.site.run_of(log))
        return source._others


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def look(others: Others, name: str) -> Other:
    found = others.look(Wanted(columns=COLUMNS, other=name))
    assert found is not None
    return found


def test_by_its_log_and_by_its_name(house: House) -> None:
    own, other = house.log("tr1.log"), house.log("tr2.log", 30)
    others = house.others(own)
    for name in (other, "tr2"):
        found = look(others, name)
        assert (found.trouble, found.name, found.status.iteration) == ("", name, 30)
        assert list(found.history.columns["iteration"]) == list(range(1, 31))
    assert others.look(Wanted(columns=COLUMNS)) is None


def test_what_is_added_to_it_is_read(house: House) -> None:
    own, other = house.log("tr1.log"), house.log("tr2.log", 30)
    others = house.others(own)
    assert look(others, other).history.rows == 30
    house.log("tr2.log", 35)
    assert look(others, other).history.rows == 35


def test_a_configured_name(house: House) -> None:
    own, log = house.log("tr1.log"), house.log("deep/main_log.txt", watched=False)
    settings = Settings(runs=(RunSettings(log=log, name="the-big-one"),))
    house.site = Site(settings, house.state_dir)
    others = house.others(own)
    assert "has no store" in look(others, "the-big-one").trouble
    house.log("deep/main_log.txt", 12)
    assert look(others, "the-big-one").history.rows == 12


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tr1", "'tr1' is this run itself"),
        ("unwatched.log", "'unwatched.log' has no store to compare with"),
        ("/nowhere/x.log", "has no store to compare with; once it was watched it has"),
        ("../..", "has no store"),
        ("*", "has no store"),
        ("nul\0byte", ""),
    ],
)
def test_what_cannot_be_compared_with_is_told(house: House, name: str, says: str) -> None:
    own = house.log("tr1.log")
    house.log("unwatched.log", watched=False)
    found = look(house.others(own), name)
    assert found.history.rows == 0
    assert found.trouble
    assert says in found.trouble


def test_two_of_one_name_need_the_log(house: House) -> None:
    own, first = house.log("tr1.log"), house.log("a/tr2.log", 5)
    house.log("b/tr2.log", 6)
    others = house.others(own)
    assert "2 runs are called 'tr2'; type the path of its log" in look(others, "tr2").trouble
    assert look(others, first).history.rows == 5


def test_what_was_read_stays_when_the_store_goes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = house.log("tr1.log"), house.log("tr2.log", 30)
    others = house.others(own)
    look(others, other)

    def gone(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(type(others._view), "history", gone)
    found = look(others, other)
    assert (found.trouble, found.history.rows) == (f"{other}: Input/output error", 30)


def test_which_there_are_is_looked_up_after_the_first_picture(house: House) -> None:
    own = house.log("tr1.log")
    house.log("tr2.log")
    others = house.others(own)
    assert others.known(NOW) == ()
    assert others.known(NOW + 1) == ("tr2",)
    house.log("tr3.log")
    assert others.known(NOW + 2) == ("tr2",)
    assert others.known(NOW + 120) == ("tr2", "tr3")


def test_it_comes_with_the_snapshot(house: House) -> None:
    own, other = house.log("tr1.log"), house.log("tr2.log", 30)
    source = house.site.screen(house.site.run_of(own))
    try:
        seen = source.read(Wanted(columns=COLUMNS, other=other))
        assert seen.other is not None
        assert seen.other.history.rows == 30
        assert source.read(Wanted(columns=COLUMNS)).other is None
    finally:
        source.close()

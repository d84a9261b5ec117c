"""The source of the screen: real logs, a real store, a real loop."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.viewed import ASKED, WANTED, iteration, until
from trainwatch.app.config import Settings
from trainwatch.app.viewing import Source
from trainwatch.app.wire import Site
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.snapshot import Search, Snapshot


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "tr1.log"
    path.write_text("".join(iteration(n) for n in range(1, 51)))
    return path


@pytest.fixture
def open_source() -> Iterator[Callable[[Site, Path], Source]]:
    opened: list[Source] = []

    def open_one(site: Site, log: Path) -> Source:
        opened.append(site.screen(site.run_of(str(log))))
        return opened[-1]

    yield open_one
    for source in opened:
        source.close()


Opener = Callable[[Site, Path], Source]


def test_it_watches_where_nobody_does(tmp_path: Path, log: Path, open_source: Opener) -> None:
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    assert source.read(WANTED).status.health == "unknown"  # nothing is known before the first look
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert seen.status.iteration == 50
    assert list(seen.history.columns["iteration"]) == list(range(1, 51))
    assert seen.page.lines[-1].text.startswith(" iteration       50/")
    with log.open("a") as file:
        file.write(iteration(51))
    until(lambda: source.read(WANTED), lambda s: s.status.iteration == 51)


def test_a_log_that_stands_still_is_there_again_after_another_pane(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    page = until(lambda: source.read(WANTED), lambda s: s.watching == "here").page
    assert len(page.lines) == WANTED.lines
    source.read(replace(WANTED, lines=0))
    assert source.read(WANTED).page == page


def test_an_open_iteration_of_nan_hides_nothing(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    with log.open("a") as file:
        file.write(iteration(51).replace("grad norm: 1.000", "grad norm: nan"))
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert seen.status.iteration == 51
    assert seen.history.rows == 51


def test_where_another_process_watches_it_reads(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    site = Site(Settings(), tmp_path / "state")
    first, second = open_source(site, log), open_source(site, log)
    until(lambda: first.read(WANTED), lambda s: s.watching == "here")
    seen = until(lambda: second.read(WANTED), lambda s: s.watching == "elsewhere")
    assert seen.status.iteration == 50
    assert seen.history.rows == 50


def test_where_nothing_can_be_kept_it_watches_from_memory(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where a folder should be")
    source = open_source(Site(Settings(), blocked), log)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "memory")
    assert "cannot write the state folder" in seen.trouble
    assert list(seen.history.columns["iteration"]) == list(range(1, 51))
    assert seen.status.iteration == 50


def test_a_log_that_does_not_exist_yet(tmp_path: Path, open_source: Opener) -> None:
    path = tmp_path / "later.log"
    source = open_source(Site(Settings(), tmp_path / "state"), path)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert "does not exist" in seen.status.reason
    assert "does not exist" in seen.page.trouble
    path.write_text(iteration(1) + iteration(2))
    until(lambda: source.read(WANTED), lambda s: s.status.iteration == 2)


def test_searching_the_log(tmp_path: Path, log: Path, open_source: Opener) -> None:
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    found = source.find(Search(text=r"iteration\s+7/"), lambda at: False)
    assert found == log.read_text().index(" iteration        7/")


def silenced(seen: Snapshot) -> list[str]:
    """The rules that are silenced."""
    book = seen.status.book
    return [] if book is None else [muted.rule for muted in book.muted]


def test_what_is_asked_for_reaches_the_watcher_beside_the_screen(
    tmp_path: Path, log: Path, open_source: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "jo")
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    source.ask(ASKED)
    seen = until(lambda: source.read(WANTED), lambda s: silenced(s) == ["stall"])
    assert seen.status.book is not None
    assert seen.status.book.muted[0].by == "jo"


def test_and_the_one_in_another_process(tmp_path: Path, log: Path, open_source: Opener) -> None:
    site = Site(Settings(), tmp_path / "state")
    first, second = open_source(site, log), open_source(site, log)
    until(lambda: first.read(WANTED), lambda s: s.watching == "here")
    until(lambda: second.read(WANTED), lambda s: s.watching == "elsewhere")
    second.ask(ASKED)
    until(lambda: second.read(WANTED), lambda s: silenced(s) == ["stall"])


def test_and_one_that_keeps_nothing(tmp_path: Path, log: Path, open_source: Opener) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where a folder should be")
    source = open_source(Site(Settings(), blocked), log)
    with pytest.raises(StoreUnusable, match="cannot leave the request"):
        source.ask(ASKED)
    until(lambda: source.read(WANTED), lambda s: s.watching == "memory")
    source.ask(ASKED)
    until(lambda: source.read(WANTED), lambda s: silenced(s) == ["stall"])

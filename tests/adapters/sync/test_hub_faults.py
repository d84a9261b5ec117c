"""What the real Hub client makes of a Hub that says no, and what is said of it."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.sync import sending
from tests.hub.memory import TOKEN, Fault, Hub
from trainwatch.adapters.sync import spool
from trainwatch.adapters.sync.places import Place, place_of
from trainwatch.core.model.syncing import Order, Outcome

TO = "hf://models/me/tr11"
COMMIT, PREUPLOAD = "POST .*/commit/", "POST .*/preupload/"
SLOW = {"Retry-After": "7200"}
UNTIL = 4_102_444_800.0  # 2100-01-01, s since the epoch
DATED = {"Retry-After": "Fri, 01 Jan 2100 00:00:00 GMT"}
RATED = {"ratelimit": '"api";r=0;t=77', "ratelimit-policy": '"fixed window";"api";q=500;w=300'}

FAULTS = {
    "no rights": (Fault(PREUPLOAD, 403), "never", 403, "may not write", None),
    "no rights to commit": (Fault(COMMIT, 403), "never", 403, "may not write", None),
    "gone": (Fault("GET /api/models", 404), "never", 404, "create = true", None),
    "removed": (Fault(COMMIT, 410), "never", 410, "was removed", None),
    "too large": (Fault(COMMIT, 413), "never", 413, "too large", None),
    "somebody else": (Fault(COMMIT, 412), "again", 412, "somebody else committed", None),
    "a conflict": (Fault(COMMIT, 409), "again", 409, "somebody else writes", None),
    "too often": (Fault(PREUPLOAD, 429, SLOW), "again", 429, "too often", 7200.0),
    "too often to commit": (Fault(COMMIT, 429, SLOW), "again", 429, "too often", 7200.0),
    "too often until": (Fault(PREUPLOAD, 429, DATED), "again", 429, "too often", UNTIL),
    "too often by its window": (Fault(PREUPLOAD, 429, RATED), "again", 429, "too often", 77.0),
    "busy": (Fault(PREUPLOAD, 503, {"Retry-After": "90"}), "again", 503, "fails (503)", 90.0),
    "broken": (Fault("GET /api/models", 500), "again", 500, "fails (500)", None),
    "broken in mid-commit": (Fault(COMMIT, 504), "lost", 504, "fails (504)", None),
    "cut": (Fault(PREUPLOAD, cut="before"), "again", None, "cannot be reached", None),
    "cut in mid-commit": (Fault(COMMIT, cut="before"), "lost", None, "cannot be reached", None),
    "no answer to a commit": (Fault(COMMIT, cut="after"), "lost", None, "cannot be reached", None),
    "a bad request": (Fault(COMMIT, 400, body={"error": "no"}), "again", 400, "400", None),
    "no rights, says Xet": (Fault("xet-write-token", 403), "never", 403, "may not write", None),
}


@pytest.fixture
def repository(hub: Hub) -> Iterator[Hub]:
    hub.make("models/me/tr11")
    hub.lfs_from = 1_000_000_000
    yield hub
    hub.faults.clear()


def place(token: str = "t1", after: str = "") -> Place:
    order = Order(
        ask="send", route="logs", to=TO, into="", root="", spool="", token=token, after=after
    )
    return place_of(order)


def send(root: Path, token: str = "t1", after: str = "") -> Outcome:
    """In this process: a child would spend seconds on imports for each fault."""
    chosen = sending.pieces(root)
    _, reads = spool.fetch(root, chosen, root.parent / "spool")
    there = place(token, after)
    try:
        return there.send([read for read in reads if read is not None])
    except Exception as error:  # noqa: BLE001
        return there.meaning(error)


@pytest.mark.parametrize(
    ("fault", "result", "status", "words", "wait_s"), FAULTS.values(), ids=FAULTS.keys()
)
def test_what_a_fault_means(
    fault: Fault,
    result: str,
    status: int | None,
    words: str,
    wait_s: float | None,
    repository: Hub,
    root: Path,
) -> None:
    (root / "a.json").write_text("{}")
    if "xet" in fault.pattern:
        repository.lfs_from = 1
    repository.faults.append(fault)
    began = time.monotonic()
    got = send(root)
    assert (got.result, got.status) == (result, status), got.why
    assert words in got.why
    if wait_s == UNTIL:
        wait_s -= time.time()
    assert got.retry_after_s == (pytest.approx(wait_s, abs=60) if wait_s else None)
    assert time.monotonic() - began < 20, "the client must not sit out what the Hub says"
    fault.times = 0
    assert send(root, "t2").result == "sent"


def test_a_token_that_is_not_known(
    repository: Hub, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.json").write_text("{}")
    monkeypatch.setenv("HF_TOKEN", "hf_" + "wrong" * 6)
    got = send(root)
    assert (got.result, got.status) == ("never", 401)
    assert "hf auth login" in got.why
    assert "wrong" not in got.why


def test_nobody_listens(root: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.json").write_text("{}")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    got = send(root)
    assert (got.result, got.why[:28]) == ("again", "the Hub cannot be reached: C")


def test_a_commit_whose_answer_was_lost_is_found(repository: Hub, root: Path) -> None:
    (root / "a.json").write_text("{}")
    repository.faults.append(Fault(COMMIT, cut="after", times=1))
    assert send(root, "t7").result == "lost"
    assert place("t7").arrived() is True
    assert place("t8").arrived() is False


def test_a_commit_that_lands_after_it_was_asked_for_is_not_made_again(
    repository: Hub, root: Path
) -> None:
    (root / "a.json").write_text("{}")
    assert place("t7").arrived() is False
    assert send(root, "t7").result == "sent"
    assert send(root, "t8", after="t7").result == "overtaken"
    assert send(root, "t9", after="t8").result == "sent"
    assert len(repository.repos["models/me/tr11"].commits) == 3


def test_of_two_attempts_at_once_only_one_succeeds(repository: Hub, root: Path) -> None:
    (root / "a.json").write_text("{}")

    def meanwhile() -> None:
        repository.before_commit = lambda: None
        repository._commit(repository.repos["models/me/tr11"], "somebody else's", {})

    repository.before_commit = meanwhile
    assert send(root).status == 412
    titles = [commit.title for commit in repository.repos["models/me/tr11"].commits]
    assert titles == ["initial commit", "somebody else's"]


def test_what_gitignore_names_is_not_taken_for_sent(repository: Hub, root: Path) -> None:
    repository.repos["models/me/tr11"].ignored = r"\.log$"
    (root / "a.json").write_text("{}")
    (root / "b.log").write_text("x\n")
    got = send(root)
    assert (got.result, got.left) == ("sent", {1: "the repository's .gitignore names it"})
    assert set(repository.repos["models/me/tr11"].files) == {"a.json"}


def test_all_files_are_one_commit_that_says_which_route_it_is_of(
    repository: Hub, root: Path
) -> None:
    for number in range(30):
        (root / f"{number}.json").write_text(str(number))
    assert send(root, "t3").result == "sent"
    _, commit = repository.repos["models/me/tr11"].commits
    assert commit.title == "logs: 30 files [trainwatch t3]"
    assert len(commit.files) == 30
    assert TOKEN not in str(repository.requests)
    assert not [one for one in repository.requests if re.search("delete", one, re.IGNORECASE)]

"""What is sent when: each byte some time, none twice while nothing changes, not more commits than allowed."""

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from trainwatch.core import sent, upload
from trainwatch.core.model.syncing import Found, Ledger, Outcome, Piece, Taken
from trainwatch.core.upload import Policy

NOW = 1_790_000_000.0
POLICY = Policy(every_s=300.0, calm_s=600.0, most_per_hour=20, part_bytes=10_000)
SENT = Outcome(result="sent")


@dataclass
class World:
    """Files that a test writes, a far side that takes what it is sent, and a ledger between them."""

    policy: Policy = POLICY
    now: float = NOW
    files: dict[str, bytes] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    far: dict[str, bytes] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=lambda: Ledger(to="x"))
    commits: list[tuple[float, list[Piece]]] = field(default_factory=list)

    def write(self, name: str, data: bytes, mtime: float | None = None) -> None:
        self.files[name], self.times[name] = data, self.now if mtime is None else mtime

    def grow(self, name: str, more: bytes) -> None:
        self.write(name, self.files.get(name, b"") + more)

    def found(self) -> list[Found]:
        return [
            Found(
                name=name,
                bytes=len(data),
                mtime_ns=round(self.times[name] * 1e9),
                head=str(hash(data[:1024])) if len(data) >= 1024 else "",
            )
            for name, data in self.files.items()
        ]

    def turn(self, outcome: Outcome = SENT) -> list[str]:
        """One look, and what it sends: the names at the far side."""
        planned = upload.plan(self.found(), self.ledger, self.policy, self.now)
        taken = [Taken(end=self._end(piece)) for piece in planned.pieces]
        pieces = list(sent.kept(planned.pieces, taken, self.ledger).values())
        if not pieces:
            self.ledger = sent.looked(self.ledger, planned, self.now)
            return []
        self.ledger = replace(self.ledger, seen=dict(planned.seen))
        self.ledger = sent.begun(self.ledger, "t", pieces, self.now)
        if outcome.result == "sent":
            self.commits.append((self.now, pieces))
            for piece in pieces:
                self.far[piece.to] = self.files[piece.name][piece.start : piece.end]
        self.ledger = sent.ended(self.ledger, outcome, planned.look_at, self.now)
        return [piece.to for piece in pieces]

    def _end(self, piece: Piece) -> int:
        data = self.files[piece.name][piece.start : piece.end]
        return piece.start + data.rfind(b"\n") + 1 if piece.lines else piece.end

    def there(self, name: str) -> bytes:
        """A log put together from its parts."""
        parts = sorted(to for to in self.far if to.startswith(f"{name}.part-"))
        return self.far.get(name, b"") + b"".join(self.far[to] for to in parts)


@pytest.fixture
def world() -> World:
    return World()


def test_a_log_is_sent_up_to_its_last_whole_line_and_the_rest_when_it_is_calm(world: World) -> None:
    world.write("main_log.txt", b"one\ntwo\nthr")
    assert world.turn() == ["main_log.txt"]
    assert world.far["main_log.txt"] == b"one\ntwo\n"
    world.now += 300
    assert world.turn() == []
    world.now += 300
    assert world.turn() == ["main_log.txt"]
    assert world.far["main_log.txt"] == b"one\ntwo\nthr"
    world.now += 3600
    assert world.turn() == []


def test_a_log_that_grows_is_sent_again_after_a_calm_period_only(world: World) -> None:
    world.write("main_log.txt", b"one\n")
    turns = []
    for _ in range(12):
        turns.append(world.turn())
        world.now += 100
        world.grow("main_log.txt", b"more\n")
    assert [bool(turn) for turn in turns] == [True, *[False] * 5, True, *[False] * 5]


def test_a_long_log_goes_in_parts_of_which_only_the_last_one_grows(world: World) -> None:
    world.write("main_log.txt", b"0123456\n" * 3000)
    assert world.turn() == ["main_log.txt", "main_log.txt.part-0001", "main_log.txt.part-0002"]
    world.grow("main_log.txt", b"more\n" * 1600)
    assert world.turn() == ["main_log.txt.part-0002"], "it is full now"
    world.now += 600
    assert world.turn() == ["main_log.txt.part-0003"]
    world.now += 3600
    assert world.turn() == []
    assert world.there("main_log.txt") == world.files["main_log.txt"]
    assert all(len(part) <= 10_000 for part in world.far.values())


def test_parts_keep_their_size_when_the_setting_changes(world: World) -> None:
    world.write("main_log.txt", b"0123456\n" * 3000)
    world.turn()
    world.policy = replace(world.policy, part_bytes=7000)
    world.now += 3600
    world.grow("main_log.txt", b"0123456\n" * 3000)
    world.turn()
    assert world.there("main_log.txt") == world.files["main_log.txt"]


def test_a_log_that_was_emptied_does_not_overwrite_what_was_sent_of_it(world: World) -> None:
    old = b"0123456\n" * 3000
    world.write("main_log.txt", old)
    world.turn()
    world.now += 3600
    world.write("main_log.txt", b"a new one\n")
    assert world.turn() == [], "a network filesystem may have answered with an old size"
    world.now += 300
    assert world.turn() == ["main_log.txt.again-1"]
    assert world.there("main_log.txt") == old
    assert world.far["main_log.txt.again-1"] == b"a new one\n"


def test_a_log_with_another_beginning_is_another_log(world: World) -> None:
    world.write("main_log.txt", b"0123456\n" * 1000)
    world.turn()
    world.now += 3600
    world.write("main_log.txt", b"abcdefg\n" * 4000)
    assert world.turn()[0] == "main_log.txt.again-1"


def test_a_tracker_of_one_line_without_an_end_is_sent_when_it_is_calm_and_replaced(
    world: World,
) -> None:
    world.write("latest_checkpointed_iteration.txt", b"1000")
    assert world.turn() == []
    world.now += 600
    assert world.turn() == ["latest_checkpointed_iteration.txt"]
    world.now += 3600
    world.write("latest_checkpointed_iteration.txt", b"2000", mtime=world.now - 700)
    assert world.turn() == ["latest_checkpointed_iteration.txt"]
    assert world.far["latest_checkpointed_iteration.txt"] == b"2000"


def test_large_files_wait_until_they_are_whole_and_never_share_a_commit_with_copies(
    world: World,
) -> None:
    world.write("weights.safetensors", b"w" * 20_000)
    world.write("config.json", b"{}")
    assert world.turn() == ["config.json"]
    world.now += 599
    world.grow("weights.safetensors", b"w")
    assert world.turn() == []
    world.now += 600
    world.write("other.json", b"{}")
    assert world.turn() == ["other.json"]
    assert world.turn() == ["weights.safetensors"]
    (piece,) = world.commits[-1][1]
    assert piece.in_place


def test_a_file_from_the_future_comes_to_rest_too(world: World) -> None:
    world.write("weights.safetensors", b"w" * 20_000, mtime=NOW + 1e6)
    assert world.turn() == []
    world.now += 600
    assert world.turn() == ["weights.safetensors"]


def test_what_was_not_sent_is_tried_later_and_later(world: World) -> None:
    world.write("a.json", b"{}")
    waits = []
    for _ in range(9):
        world.turn(Outcome(result="again", why="the Hub fails (503)", status=503))
        waits.append(world.ledger.look_at - world.now)
        world.now = world.ledger.look_at
    assert waits == sorted(waits)
    assert waits[0] >= 30
    assert waits[-1] <= 3600
    assert world.ledger.failures == 9
    world.turn()
    assert (world.ledger.failures, world.ledger.why) == (0, "")


def test_a_retry_after_is_kept_to(world: World) -> None:
    world.write("a.json", b"{}")
    world.turn(Outcome(result="again", status=429, retry_after_s=7200.0))
    assert world.ledger.look_at == NOW + 7200


def test_what_may_have_arrived_stays_intended_and_counts_when_it_has(world: World) -> None:
    world.write("a.json", b"{}")
    world.turn(Outcome(result="lost", why="no answer"))
    assert world.ledger.intent is not None
    assert world.ledger.sent == {}
    world.ledger = sent.arrived(world.ledger)
    assert world.ledger.intent is None
    world.now += 3600
    assert world.turn() == []


def test_a_commit_that_is_too_large_is_halved_until_one_file_is_to_blame(world: World) -> None:
    for name in "abcde":
        world.write(f"{name}.json", b"{}", mtime=NOW - 3600)
    turns = []
    for _ in range(30):
        planned = upload.plan(world.found(), world.ledger, world.policy, world.now)
        bad = any(piece.name == "c.json" for piece in planned.pieces)
        turns.append(world.turn(Outcome(result="never", status=413, why="413") if bad else SENT))
        world.now += 300
    assert set(world.far) == {"a.json", "b.json", "d.json", "e.json"}
    assert set(world.ledger.refused) == {"c.json"}
    assert turns[-1] == []
    world.write("c.json", b"[]")
    assert world.turn() == ["c.json"]
    assert world.ledger.refused == {}


def test_what_arrived_before_a_failure_is_not_sent_again(world: World) -> None:
    for name in "abc":
        world.write(f"{name}.json", b"{}", mtime=NOW - 3600)
    assert world.turn(Outcome(result="again", done=2)) == ["a.json", "b.json", "c.json"]
    world.now = world.ledger.look_at
    assert world.turn() == ["c.json"]


def test_a_ledger_of_another_place_knows_nothing_of_this_one(world: World) -> None:
    world.write("a.json", b"{}")
    world.turn()
    assert sent.fitting(world.ledger, "x") is world.ledger
    assert sent.fitting(world.ledger, "y") == Ledger(to="y")
    assert sent.fitting(None, "y") == Ledger(to="y")


def test_a_commit_holds_only_so_much(world: World) -> None:
    world.write("main_log.txt", b"x" * 10_000 * 450)
    assert [len(world.turn()) for _ in range(4)] == [200, 200, 50, 0]
    assert world.there("main_log.txt") == world.files["main_log.txt"]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["main_log.txt", "tb/events.out.tfevents.1", "emissions.csv", "w.bin"]),
        st.binary(max_size=50).map(lambda tail: tail + b"line\n"),
        st.integers(0, 9000),  # more of it
        st.floats(0, 4000),  # seconds that pass
        st.sampled_from(["sent", "sent", "sent", "again", "never"]),
    ),
    max_size=60,
)


@given(STEPS, st.integers(1, 20))
def test_every_byte_arrives_some_time_and_never_too_many_commits(
    steps: list[tuple[str, bytes, int, float, str]], most: int
) -> None:
    world = World(policy=replace(POLICY, most_per_hour=most))
    tried = list[float]()

    def turn(outcome: Outcome = SENT) -> bool:
        did = bool(world.turn(outcome))
        tried.extend([world.now] * did)
        return did

    for name, tail, size, passed, result in steps:
        world.grow(name, b"x" * size + tail)
        world.now += passed
        if world.ledger.look_at <= world.now:
            turn(Outcome(result=result))  # type: ignore[arg-type]
    for _ in range(150):
        world.now = max(world.now, world.ledger.look_at)
        if math.isclose(world.now, world.ledger.look_at):
            world.now = world.ledger.look_at + 1
        turn()
    for name, data in world.files.items():
        assert world.there(name) == data, name
    assert not turn(), "nothing changed"
    for at in tried:
        assert sum(at - 3600 < other <= at for other in tried) <= most

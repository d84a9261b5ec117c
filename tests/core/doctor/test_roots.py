"""Checkpoint folders by their names and trackers."""

import pytest

from trainwatch.core.checkpoints import layouts, trackers
from trainwatch.core.doctor import roots
from trainwatch.core.doctor.roots import RootSeen

THERE = tuple(one for n in (100, 200) if (one := layouts.named(f"global_step{n}")) is not None)


def root(says: str | None = None, *, cut: bool = False) -> RootSeen:
    told = () if says is None else (trackers.read("latest", says.encode()),)
    return RootSeen("/ck", found=THERE, trackers=told, cut=cut)


BOTH = (
    trackers.read("latest_checkpointed_iteration.txt", b"200"),
    *root("global_step200").trackers,
)

SEEN: dict[str, tuple[RootSeen, bool, str, str]] = {
    "well": (
        root("global_step200"),
        True,
        "ok",
        "2 deepspeed (iterations 100 to 200); latest names",
    ),
    "both trackers": (
        root()._replace(trackers=BOTH),
        True,
        "ok",
        "iteration.txt names 200, latest names",
    ),
    "no tracker": (root(), True, "ok", "; no tracker beside them"),
    "names what is gone": (root("global_step300"), True, "wrong", "which is not there"),
    "perhaps beyond the cut": (root("global_step300", cut=True), True, "ok", "was not looked at"),
    "garbage": (root("\x1b[31mx"), True, "wrong", "latest holds"),
    "nothing yet": (RootSeen("/ck"), True, "warning", "nothing in it is called like a checkpoint"),
    "missing": (RootSeen("/ck", why="/ck: No such file"), True, "wrong", "No such file"),
    "missing, by the log": (RootSeen("/ck", why="/ck: gone"), False, "warning", "the log names it"),
}


@pytest.mark.parametrize("name", SEEN)
def test_judged(name: str) -> None:
    seen, configured, verdict, saw = SEEN[name]
    found = roots.judged("run a", seen, configured=configured)
    assert found.verdict == verdict
    assert saw in found.saw
    assert bool(found.do) == (verdict != "ok")
    assert "\x1b" not in found.saw

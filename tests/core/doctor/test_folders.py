"""Folders, judged: the state's own, and those that something is written to."""

import pytest

from trainwatch.core.doctor import folders
from trainwatch.core.doctor.folders import FolderSeen

GOOD = FolderSeen(
    path="/s",
    kind="folder",
    writable=True,
    filesystem="ext4",
    mode=0o700,
    mine=True,
    bytes_free=10**12,
    inodes_free=10**6,
    skew_s=0.0,
)
MISSING = FolderSeen(path="/a/s", kind="missing", writable=True, above="/a", filesystem="nfs4")

STATES: dict[str, tuple[FolderSeen, dict[str, str]]] = {
    "all well": (GOOD, {}),
    "to be made": (MISSING, {"room": "unknown"}),
    "cannot be made": (MISSING._replace(writable=False, why="not permitted"), {"folder": "wrong"}),
    "a file": (FolderSeen(path="/s", kind="other"), {"folder": "wrong"}),
    "read-only": (GOOD._replace(writable=False, why="Read-only file system"), {"folder": "wrong"}),
    "in memory": (GOOD._replace(filesystem="tmpfs"), {"filesystem": "warning"}),
    "of no known type": (GOOD._replace(filesystem="strangefs"), {}),
    "others read it": (GOOD._replace(mode=0o755), {"rights": "warning"}),
    "its group reads it": (GOOD._replace(mode=0o750), {}),
    "its group writes to it": (GOOD._replace(mode=0o770), {"rights": "warning"}),
    "everybody writes to it": (GOOD._replace(mode=0o1777), {"rights": "wrong"}),
    "somebody else's": (GOOD._replace(mine=False), {"rights": "warning"}),
    "nearly full": (GOOD._replace(bytes_free=10**8), {"room": "warning"}),
    "full": (GOOD._replace(bytes_free=0), {"room": "wrong"}),
    "no inodes": (GOOD._replace(inodes_free=0), {"room": "wrong"}),
    "no inodes are counted": (GOOD._replace(inodes_free=None), {}),
    "a clock that is ahead": (GOOD._replace(skew_s=30.0), {"clock": "warning"}),
    "a clock that is far behind": (GOOD._replace(skew_s=-400.0), {"clock": "wrong"}),
    "a coarse clock": (GOOD._replace(skew_s=-1.0), {}),
}


@pytest.mark.parametrize("name", STATES)
def test_the_state_folder(name: str) -> None:
    seen, amiss = STATES[name]
    found = folders.state(seen, elsewhere=False)
    assert {one.name: one.verdict for one in found if one.verdict != "ok"} == amiss
    assert all(one.do for one in found if one.verdict in ("wrong", "warning"))


def test_what_other_nodes_do_not_see_is_said_where_they_need_it() -> None:
    def verdict(filesystem: str) -> str:
        found = folders.state(GOOD._replace(filesystem=filesystem), elsewhere=True)
        return next(one.verdict for one in found if one.name == "filesystem")

    assert (verdict("ext4"), verdict("lustre"), verdict("strangefs")) == ("warning", "ok", "ok")


def test_a_command_quotes_the_path() -> None:
    found = folders.state(GOOD._replace(path="/a; rm -rf b", mode=0o777), elsewhere=False)
    assert [one.do for one in found if one.do] == ["chmod 700 '/a; rm -rf b'"]


@pytest.mark.parametrize(
    ("seen", "create", "verdict", "saw"),
    [
        (GOOD, False, "ok", "/s"),
        (MISSING, True, "ok", "/a/s is not there yet, and can be made"),
        (MISSING, False, "wrong", "/a/s does not exist"),
        (GOOD._replace(bytes_free=0), False, "wrong", "/s; only 0 B free"),
        (
            FolderSeen(path="/s", kind="folder", writable=False, why="Stale"),
            False,
            "wrong",
            "Stale",
        ),
        (FolderSeen(path="/s", kind="other"), True, "wrong", "/s is not a folder"),
    ],
)
def test_a_folder_that_is_written_to(
    seen: FolderSeen, create: bool, verdict: str, saw: str
) -> None:
    found = folders.usable("sync", "a to", seen, create=create, do="mount it")
    assert found.verdict == verdict
    assert saw in found.saw

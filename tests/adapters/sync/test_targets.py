"""One contract for all places to send to: the Hub by Xet and by LFS, a bucket, a folder, an object store.

Each by its real client in the real child process; the Hub and S3 are servers on loopback. A child takes
seconds to import its client, so one test goes through the life of a place.
"""

import os
from pathlib import Path

import pytest

from tests.adapters.sync import sending
from tests.adapters.sync.sending import Far
from tests.hub.memory import Hub
from trainwatch.core.model.syncing import Answer, Piece

LOG = b"".join(b" iteration %8d/ 1000 | lm loss: %.6f\n" % (n, 5 - n / 1e4) for n in range(8000))
ODD = ("--delete", "a b.json", "100%.json", "é.json", "'$(reboot)'.json", "#1.json")
PLACES = ["model-xet", "dataset-lfs", "bucket", "folder", "s3"]


@pytest.fixture(params=PLACES)
def far(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    """A place that does not exist yet."""
    if request.param == "folder":
        return Far(str(tmp_path / "archive"), sending.in_folder(tmp_path / "archive"))
    if request.param == "s3":
        bucket = f"bucket-{abs(hash(tmp_path))}"
        return Far(f"s3://{bucket}", sending.in_s3(request.getfixturevalue("s3"), bucket))
    hub: Hub = request.getfixturevalue("hub")
    if request.param == "bucket":
        name = "buckets/me/tr11"
        return Far(f"hf://{name}", sending.in_bucket(hub, name, tmp_path))
    if request.param == "dataset-lfs":
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    name = "datasets/me/tr11" if request.param == "dataset-lfs" else "models/me/tr11"
    return Far(f"hf://{name}", sending.in_repository(hub, name))


def test_the_life_of_a_place(far: Far, root: Path) -> None:
    chosen = _written(root)
    refused = sending.send(far.to, root, *chosen, into="run/1").outcome
    assert refused.result == "never"
    assert "does not exist" in refused.why
    assert "create = true" in refused.why
    _spoil(root)

    first = sending.send(far.to, root, *chosen, into="run/1", create=True)
    why = {piece.name: one.why for piece, one in zip(chosen, first.taken, strict=True) if one.why}
    assert why == {
        "gone.json": "it vanished",
        "less.json": "it became shorter",
        "pipe.json": "it is no file",
        "changed.safetensors": "it changes",
    }
    assert (first.outcome.result, first.outcome.why, first.outcome.left) == ("sent", "", {})
    assert far.holds("run/1/logs/main_log.txt", LOG), "without the half line"
    assert far.holds("run/1/weights.safetensors", b"w" * 1_000_001)
    assert [name for name in ODD if not far.holds(f"run/1/{name}", name.encode())] == []
    assert far.holds("run/1/gone.json", b"") is None
    assert far.holds("gone.json", b"") is None

    (root / "logs" / "main_log.txt").write_bytes(LOG + LOG)
    for name in ODD:
        (root / name).unlink()
    second = sending.send(far.to, root, *sending.pieces(root, "logs/*"), into="run/1")
    assert second.outcome.result == "sent"
    assert far.holds("run/1/logs/main_log.txt", LOG + LOG)
    assert far.holds(f"run/1/{ODD[0]}", ODD[0].encode()), "nothing is ever deleted"
    commits = far.to.startswith(("hf://models", "hf://datasets"))
    answer = sending.arrived(far.to, second.token, root)
    assert answer == Answer(arrived=True if commits else None)


def _written(root: Path) -> tuple[Piece, ...]:
    """Files to send. One of them is a log that has not come to rest."""
    for name in (*ODD, "new\nline.json"):
        (root / name).write_bytes(name.encode())
    for name in ("gone.json", "less.json", "pipe.json"):
        (root / name).write_bytes(b'{"a": 1}')
    (root / "logs").mkdir()
    (root / "logs" / "main_log.txt").write_bytes(LOG + b" iteration")
    for name in ("weights", "changed"):
        (root / f"{name}.safetensors").write_bytes(b"w" * 1_000_001)
    found = sending.pieces(root, "**/*.json", "--delete", "logs/*")
    assert "new\nline.json" not in {piece.name for piece in found}
    large = sending.pieces(root, "*.safetensors")
    return (*(sending.growing(p) if p.name.startswith("logs") else p for p in found), *large)


def _spoil(root: Path) -> None:
    """Between the look and the copy."""
    (root / "gone.json").unlink()
    (root / "less.json").write_bytes(b"{}")
    (root / "pipe.json").unlink()
    os.mkfifo(root / "pipe.json")
    (root / "changed.safetensors").write_bytes(b"m" * 1_000_002)
    with (root / "logs" / "main_log.txt").open("ab") as log:
        log.write(b" 9000/ 1000 | and more\n")

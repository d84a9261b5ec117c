"""Turns of sending as the app orders them, without the app."""

import hashlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from tests.hub.memory import Hub
from trainwatch.adapters.sync import Courier, look
from trainwatch.core import sent
from trainwatch.core.model.syncing import Answer, Ledger, Order, Outcome, Piece, Taken
from trainwatch.core.upload import Policy, plan

NOW = 4_000_000_000.0  # everything on the disk has come to rest
POLICY = Policy(every_s=60.0, calm_s=60.0, most_per_hour=20, part_bytes=1_000_000)
_numbers = itertools.count()


class Far(NamedTuple):
    """The other side: where it is, and whether a file there holds these bytes (None: it is not there)."""

    to: str
    holds: Callable[[str, bytes], bool | None]


def pieces(root: Path, *patterns: str, policy: Policy = POLICY) -> tuple[Piece, ...]:
    """Everything below a root, ready to be sent."""
    found = look(str(root), patterns or ("**",), {})
    assert not found.trouble
    return plan(found.files, Ledger(), policy, NOW).pieces


class Sent(NamedTuple):
    """How a turn ended, and what was read for it."""

    outcome: Outcome
    taken: tuple[Taken, ...]
    token: str


def send(
    to: str,
    root: Path,
    *chosen: Piece,
    into: str = "",
    create: bool = False,
    deadline_s: float = 60.0,
    begun: Callable[[], None] = lambda: None,
    courier: Courier | None = None,
) -> Sent:
    """One turn, by the real child process. `begun` is called when all is read and nothing is sent."""
    order = Order(
        ask="send",
        route="logs",
        to=to,
        into=into,
        root=str(root),
        spool=str(root.parent / "spool"),
        token=f"token{next(_numbers)}",
        create=create,
        pieces=chosen or pieces(root),
    )
    read = list[Taken]()

    def numbers(taken: tuple[Taken, ...]) -> Sequence[int]:
        read.extend(taken)
        begun()
        return tuple(sent.kept(order.pieces, taken, Ledger()))

    outcome = (courier or Courier()).send(order, deadline_s, numbers)
    return Sent(outcome, tuple(read), order.token)


def arrived(to: str, token: str, root: Path) -> Answer | Outcome:
    """Whether it is there."""
    order = Order(
        ask="arrived", route="logs", to=to, into="", root=str(root), spool="", token=token
    )
    return Courier().arrived(order, 60.0)


def in_repository(hub: Hub, name: str) -> Callable[[str, bytes], bool | None]:
    """By what was committed."""

    def holds(path: str, data: bytes) -> bool | None:
        known = hub.repos[name].files.get(path)
        return None if known is None else known == (hashlib.sha256(data).hexdigest(), len(data))

    return holds


def in_bucket(hub: Hub, name: str, tmp_path: Path) -> Callable[[str, bytes], bool | None]:
    """By Xet's own hash."""

    def holds(path: str, data: bytes) -> bool | None:
        import hf_xet

        known = hub.repos[name].files.get(path)
        if known is None:
            return None
        copy = tmp_path / "copy"
        copy.write_bytes(data)
        return bool(hf_xet.hash_files([str(copy)])[0].hash == known[0])

    return holds


def in_folder(folder: Path) -> Callable[[str, bytes], bool | None]:
    """By looking."""

    def holds(path: str, data: bytes) -> bool | None:
        file = folder / path
        return file.read_bytes() == data if file.exists() else None

    return holds


def in_s3(url: str, bucket: str) -> Callable[[str, bytes], bool | None]:
    """By fetching it with another client."""

    def holds(path: str, data: bytes) -> bool | None:
        import boto3

        client = boto3.client("s3", endpoint_url=url)
        try:
            return bool(client.get_object(Bucket=bucket, Key=path)["Body"].read() == data)
        except client.exceptions.NoSuchKey:
            return None

    return holds


def growing(piece: Piece) -> Piece:
    """The same, of a log that has not come to rest."""
    return replace(piece, lines=True)

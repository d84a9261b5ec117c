"""What is sent away: the files that were seen, what of each has arrived, and what a turn of sending is."""

from typing import Literal

import msgspec


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A file below a route's root, as it was when looked at. `head`: of a log, a digest of its beginning."""

    name: str  # relative to the root, with slashes
    bytes: int
    mtime_ns: int
    head: str = ""


class Seen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that waits: how it was, and since when (s since the epoch) it has been just so."""

    bytes: int
    mtime_ns: int
    since: float


class Sent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a file has arrived: its first `bytes`, at a time when it had `size` of them."""

    bytes: int
    size: int
    mtime_ns: int
    at: float
    part_bytes: int  # where its parts are cut, for good
    head: str = ""
    series: int = (
        0  # how often it began anew: a log that was emptied does not overwrite what was sent of it
    )


class Refused(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that the other side does not take, until it changes."""

    bytes: int
    mtime_ns: int
    why: str
    amiss: bool = False  # somebody has to do something about it


class Piece(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stretch of a file, and the name that it gets.

    `lines`: only whole lines of it. `in_place`: all of a large file at rest, sent without a copy.
    """

    name: str
    to: str
    start: int
    end: int
    size: int  # of the whole file
    mtime_ns: int
    part_bytes: int
    head: str = ""
    series: int = 0
    lines: bool = False
    in_place: bool = False


class Taken(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a piece when it was read: it ends at `end`; or `why` it is left for another time."""

    end: int = 0
    why: str = ""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """Written before anything is sent: without an answer, the next turn asks first whether it arrived."""

    token: str  # stands in the title of the commit
    at: float
    pieces: tuple[Piece, ...]  # as they were read


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a route. It is written after the other side has said yes."""

    version: int = 1
    to: str = ""  # the place and folder that it is about: another one knows nothing of it
    sent: dict[str, Sent] = {}
    seen: dict[str, Seen] = {}
    refused: dict[str, Refused] = {}
    commits: tuple[float, ...] = ()  # of the last hour
    intent: Intent | None = None
    batch: int = (
        0  # files a commit may hold while too large a one is searched for; 0: as many as ever
    )
    look_at: float = 0.0
    tried_at: float | None = None
    last_ok_at: float | None = None  # when all that was due had arrived
    failures: int = 0  # in a row
    permanent: bool = False
    why: str = ""  # what is wrong now


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a child process is asked to do. Holds no secret: the client finds its login by itself."""

    ask: Literal["send", "arrived"]
    route: str
    to: str
    into: str
    root: str
    spool: str  # a private folder for copies
    token: str
    create: bool = False
    private: bool = True
    pieces: tuple[Piece, ...] = ()
    after: str = ""  # a token that had not arrived a moment ago: if it has by now, nothing is sent


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """The pieces have been read, in their order; nothing has been sent."""

    taken: tuple[Taken, ...]


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag="outcome", omit_defaults=True):
    """How a turn ended.

    `again`: not sent, later it may be; `never`: not sent, and not before somebody does something; `lost`: no
    answer, so it may have arrived; `overtaken`: what was sent under `Order.after` has arrived after all, so
    nothing was sent. `done` counts the pieces that arrived although the turn did not end well.
    `left` are pieces that the other side passes over, by their number, with the reason.
    """

    result: Literal["sent", "again", "never", "lost", "overtaken"]
    why: str = ""
    status: int | None = None  # HTTP
    retry_after_s: float | None = None
    done: int = 0
    left: dict[int, str] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag="answer"):
    """Whether what was sent under a token has arrived. None: it cannot be said, or does not matter."""

    arrived: bool | None

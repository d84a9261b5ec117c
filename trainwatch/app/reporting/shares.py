"""The logs of a report in shares, one for each task of a job array: what a task is told, and what it answers.

The trap: JSON has no NaN, and no difference between 1 and 1.0 once a struct took it. Rows must come back as
they were, so they travel as plain values in Python's own JSON, and names as bytes.
"""

import heapq
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from trainwatch.app.config import Settings
from trainwatch.app.reporting import naming
from trainwatch.app.reporting.hours import Hours
from trainwatch.app.reporting.reading import How
from trainwatch.core import errors
from trainwatch.core.errors import AnswerUnreadable, TrainwatchError
from trainwatch.core.facts import Facts
from trainwatch.core.model.goodput import Goodput
from trainwatch.core.rows import ReportRow

Kind = Literal["rows", "hours"]
_OPENING_BYTES = (
    256 * 1024
)  # what the opening of a log costs, in bytes that would be read meanwhile


Result = ReportRow | Hours | TrainwatchError


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What all tasks of a report are told. Names are as they were given, relative to `folder`."""

    kind: Kind
    folder: bytes
    state_dir: bytes
    now: float
    names: tuple[bytes, ...]
    shares: tuple[tuple[int, ...], ...]  # indices of names, by task
    settings: Settings = Settings()
    facts: Facts = Facts()
    regex: tuple[str, bool] | None = None  # of --name-pattern, and whether it must match the whole
    tokens: float | None = None
    jobs: int | None = None  # processes of a task; None: as many as it has CPUs

    def how(self) -> How:
        """How rows are read."""
        pattern = naming.Pattern(re.compile(self.regex[0]), self.regex[1]) if self.regex else None
        return How(
            now=self.now,
            settings=self.settings,
            facts=self.facts,
            pattern=pattern,
            tokens=self.tokens,
        )

    def share(self, task: int) -> list[str]:
        """The names of a share."""
        return [os.fsdecode(self.names[index]) for index in self.shares[task]]


def work_of(
    kind: Kind,
    names: Sequence[str],
    count: int,
    sizes: Sequence[int],
    how: How,
    state_dir: Path,
    jobs: int | None,
) -> Work:
    """The work of a report in at most `count` shares. `sizes` of the logs are in bytes."""
    known = how.settings
    settings = Settings(  # without what has no part in reading: no URL of a receiver leaves the configuration
        runs=known.runs, formats=known.formats, log_utc_offset_h=how.utc_offset_s() / 3600
    )
    return Work(
        kind=kind,
        folder=os.fsencode(Path.cwd()),
        state_dir=os.fsencode(state_dir.absolute()),
        now=how.now,
        names=tuple(map(os.fsencode, names)),
        shares=split(sizes, count),
        settings=settings,
        facts=how.facts,
        regex=(how.pattern.regex.pattern, how.pattern.whole) if how.pattern else None,
        tokens=how.tokens,
        jobs=jobs,
    )


def split(sizes: Sequence[int], count: int) -> tuple[tuple[int, ...], ...]:
    """Indices in at most `count` shares of about the same bytes; none is empty."""
    shares = [list[int]() for _ in range(min(count, len(sizes)))]
    loads = [(0, number) for number in range(len(shares))]
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        load, number = loads[0]
        shares[number].append(index)
        heapq.heapreplace(loads, (load + sizes[index] + _OPENING_BYTES, number))
    return tuple(tuple(sorted(share)) for share in shares)


def encode(value: Work) -> bytes:
    """For a file."""
    return json.dumps(msgspec.to_builtins(value)).encode()


def decode(data: bytes) -> Work:
    """Raises AnswerUnreadable."""
    try:
        return msgspec.convert(json.loads(data), Work)
    except (ValueError, msgspec.ValidationError) as error:
        raise AnswerUnreadable(f"not a list of logs: {error}") from error


def encode_results(results: Sequence[Result]) -> bytes:
    """What a task answers."""
    return json.dumps([_plain(result) for result in results]).encode()


def decode_results(data: bytes) -> list[Result]:
    """Raises AnswerUnreadable."""
    try:
        return [_result(plain) for plain in json.loads(data)]
    except (ValueError, TypeError, KeyError, AttributeError, msgspec.ValidationError) as error:
        raise AnswerUnreadable(f"not the rows of a task: {error}") from error


def _plain(result: Result) -> dict[str, Any]:
    if isinstance(result, TrainwatchError):
        kinds = (kind.__name__ for kind in type(result).__mro__)  # an adapter's own is no kind here
        return {"error": next(k for k in kinds if hasattr(errors, k)), "text": str(result)}
    key = "row" if isinstance(result, ReportRow) else "hours"
    return {key: msgspec.to_builtins(result)}


def _result(plain: dict[str, Any]) -> Result:
    """Checked as what it ought to be, then made of the very values."""
    if "error" in plain:
        kind = getattr(errors, plain["error"])
        if not issubclass(kind, TrainwatchError):
            raise TypeError(plain["error"])
        made: TrainwatchError = kind(plain["text"])
        return made
    if "row" in plain:
        msgspec.convert(plain["row"], ReportRow)
        return ReportRow(**plain["row"])
    msgspec.convert(plain["hours"], Hours)
    return Hours(**{**plain["hours"], "told": Goodput(**plain["hours"]["told"])})

"""Answers of Slurm's commands to rows: text with our separators, and JSON of any version since 21.08.

The trap: half an answer looks like a shorter queue. What is cut off is no answer at all.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

import msgspec

from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.slurm.asking import field_end, row_end
from trainwatch.core.words import clean

_NOTHING_FOUND = 9003  # older versions say so among the errors
_CODES = ("error_number", "errno", "error_code")
_WORDS = ("description", "error")

Row = TypeVar("Row")
Made = TypeVar("Made")


class Rows(NamedTuple, Generic[Made]):
    """What the rows of an answer were made into, and how many more there were that could not be read."""

    found: tuple[Made, ...]
    left_out: int


class _Answer(msgspec.Struct, Generic[Row], gc=False):
    jobs: list[Row] | None = None
    errors: msgspec.Raw = msgspec.Raw()


def table(
    data: bytes,
    separator: str,
    fields: int,
    make: Callable[[list[str]], Made | None],
    title: str = "",
) -> Rows[Made]:
    """Rows of so many fields as `asking.layout` asks for them; `make` gives None for one that is not.

    Raises AnswerUnreadable if the answer is cut off, is something else, or lacks a header that begins with
    `title`.
    """
    text = data.decode("utf-8", "replace")
    *records, rest = text.split(row_end(separator) + "\n")
    if rest.strip():
        raise AnswerUnreadable("the answer is cut off" if records else _quoted(rest))
    within = field_end(separator)
    if title:
        header = records[0].split(within)[0].rsplit("\n", 1)[-1] if records else ""
        if header != title:
            raise AnswerUnreadable("an answer without its header")
        del records[0]
    return _made((record.split(within) for record in records), fields, make)


def lines(
    data: bytes, separator: str, fields: int, make: Callable[[list[str]], Made | None]
) -> Rows[Made]:
    """Rows of so many fields of a command that ends each with a line end, and nothing of ours (sacct).

    The first and the last field hold no line ends; any other may.
    Raises AnswerUnreadable if the answer is cut off or is something else.
    """
    text = data.decode("utf-8", "replace")
    if not text.strip():
        return Rows((), 0)
    parts = text.split(field_end(separator))
    if len(parts) == 1:
        raise AnswerUnreadable(_quoted(text))
    if (len(parts) - 1) % (fields - 1) or not text.endswith("\n"):
        raise AnswerUnreadable("the answer is cut off")
    return _made(_strides(parts, fields - 1), fields, make)


def _strides(parts: list[str], step: int) -> Iterator[list[str]]:
    """Each row; a part between two of them holds the last field, a line end, and the first field."""
    for at in range(0, len(parts) - 1, step):
        first, last = parts[at].rsplit("\n", 1)[-1], parts[at + step].split("\n", 1)[0]
        yield [first, *parts[at + 1 : at + step], last]


def jobs(data: bytes, row: type[Row], make: Callable[[Row], Made | None]) -> Rows[Made]:
    """What stands under `jobs`, each read as a `row`; `make` gives None for one that is not.

    Raises AnswerUnreadable for what is not JSON, is cut off, holds no jobs, or tells of errors.
    """
    try:
        answer, left_out = _decode(data, row)
    except UnicodeDecodeError:  # names are any bytes
        answer, left_out = _decode(data.decode("utf-8", "replace").encode(), row)
    if (said := _said(bytes(answer.errors))) is not None:
        if not said:
            return Rows((), 0)
        raise AnswerUnreadable(said)
    if answer.jobs is None:
        raise AnswerUnreadable("the answer holds no jobs, not even none")
    answer.jobs.reverse()
    each = (make(answer.jobs.pop()) for _ in range(len(answer.jobs)))  # so that memory is held once
    found, total = _kept(each)
    return Rows(found, left_out + total - len(found))


def _made(
    rows: Iterable[list[str]], fields: int, make: Callable[[list[str]], Made | None]
) -> Rows[Made]:
    found, total = _kept(make(row) if len(row) == fields else None for row in rows)
    return Rows(found, total - len(found))


def _kept(made: Iterable[Made | None]) -> tuple[tuple[Made, ...], int]:
    """Those that could be made, and how many there were."""
    found, total = list[Made](), 0
    for one in made:
        total += 1
        if one is not None:
            found.append(one)
    return tuple(found), total


def _decode(data: bytes, row: type[Row]) -> tuple[_Answer[Row], int]:
    try:
        return msgspec.json.decode(data, type=_Answer[row]), 0  # type: ignore[valid-type]
    except msgspec.ValidationError:
        return _one_by_one(data, row)
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError):
        raise AnswerUnreadable(_quoted(data[:400].decode("utf-8", "replace"))) from None


def _one_by_one(data: bytes, row: type[Row]) -> tuple[_Answer[Row], int]:
    """One row is of a kind that we do not know: the others are read all the same."""
    try:
        raw = msgspec.json.decode(data, type=_Answer[msgspec.Raw])
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError):
        raise AnswerUnreadable("the answer is JSON, but not of this command") from None
    good = list(_readable(raw.jobs or [], row))
    kept = None if raw.jobs is None else good
    return _Answer(jobs=kept, errors=raw.errors), len(raw.jobs or []) - len(good)


def _readable(rows: list[msgspec.Raw], row: type[Row]) -> Iterator[Row]:
    for raw in rows:
        try:
            yield msgspec.json.decode(raw, type=row)
        except UnicodeDecodeError:
            raise
        except (ValueError, RecursionError):
            continue


def _said(errors: bytes) -> str | None:
    """What the errors say: None without any, empty if it is only that nothing was found."""
    try:
        found = msgspec.json.decode(errors or b"null")
    except (ValueError, RecursionError):
        return "it tells of errors"
    if not found:
        return None
    first = found[0] if isinstance(found, list) else found
    if not isinstance(first, dict):
        return _line(str(first)) or "it tells of errors"
    if len(found) == 1 and any(first.get(code) == _NOTHING_FOUND for code in _CODES):
        return ""
    said = next((first[word] for word in _WORDS if isinstance(first.get(word), str)), "")
    return _line(said) or "it tells of errors"


def _quoted(text: str) -> str:
    """What was said instead of an answer."""
    line = _line(text)
    return f"not an answer: {line}" if line else "an empty answer"


def _line(text: str) -> str:
    """The first line that says something, short and clean."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return clean(line.strip(), 120)

"""Which rows, in which order: `--filter 'gpus>=64'` and `--sort tflops,desc`."""

import operator
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, get_args, get_type_hints

from trainwatch.app.amounts import amount
from trainwatch.core.ending import End
from trainwatch.core.errors import UsageError
from trainwatch.core.rows import KEYS, ReportRow

ENDS: tuple[str, ...] = get_args(End)
_FILTER = re.compile(r"\s*(\w+)\s*(>=|<=|!=|==|=|>|<|~)\s*(.*?)\s*")
_YES_NO = {"true": 1.0, "false": 0.0}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}


class Filter(NamedTuple):
    """A condition. A row in which the value is unknown does not fulfil it."""

    key: str
    sign: str
    text: str
    number: float | None

    def takes(self, row: ReportRow) -> bool:
        """Whether the row fulfils it."""
        value = getattr(row, self.key)
        if value is None:
            return False
        if self.number is not None:
            return _COMPARE[self.sign](value, self.number)
        same, within = str(value).lower() == self.text, self.text in str(value).lower()
        return within if self.sign == "~" else same == (self.sign != "!=")


def condition(text: str) -> Filter:
    """A filter. Raises UsageError, which says what can be asked for."""
    found = _FILTER.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--filter {text!r}: expected KEY>=VALUE, e.g. 'gpus>=64' or 'end=completed'"
        )
    key, sign, value = _known(found[1], "--filter"), found[2], found[3]
    if _is_text(key):
        if sign not in ("=", "==", "!=", "~"):
            raise UsageError(
                f"--filter {text!r}: {key} is text; compare it with =, != or ~ (contains)"
            )
        if key == "end" and sign != "~" and value not in ENDS:
            raise UsageError(f"--filter {text!r}: known ends are {', '.join(ENDS)}")
        return Filter(key, sign, value.lower(), None)
    number = _YES_NO.get(value.lower(), amount(value))
    if number is None or sign == "~":
        raise UsageError(
            f"--filter {text!r}: {key} is a number; compare it with one, e.g. '{key}>=64'"
        )
    return Filter(key, sign, value, number)


def chosen(rows: Sequence[ReportRow], filters: Sequence[Filter]) -> list[ReportRow]:
    """The rows that fulfil every filter."""
    return [row for row in rows if all(each.takes(row) for each in filters)]


class Order(NamedTuple):
    """By which key, and whether the largest comes first."""

    key: str
    descending: bool


def order(text: str) -> Order:
    """`KEY` or `KEY,desc`. Raises UsageError."""
    key, _, way = (part.strip() for part in text.partition(","))
    if way not in ("", "asc", "desc"):
        raise UsageError(f"--sort {text!r}: expected KEY, KEY,asc or KEY,desc")
    return Order(_known(key, "--sort"), way == "desc")


def ordered(rows: Sequence[ReportRow], by: Order) -> list[ReportRow]:
    """The rows in order; those in which the value is unknown come last."""
    known = [row for row in rows if getattr(row, by.key) is not None]
    rest = [row for row in rows if getattr(row, by.key) is None]
    return [*sorted(known, key=lambda row: getattr(row, by.key), reverse=by.descending), *rest]


def _known(key: str, option: str) -> str:
    if key in KEYS:
        return key
    import difflib

    near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UsageError(f"{option}: unknown key {key!r}. {hint}Known are: {', '.join(KEYS)}")


def _is_text(key: str) -> bool:
    kind = get_type_hints(ReportRow)[key]
    return str in (kind, *get_args(kind)) or key == "end"

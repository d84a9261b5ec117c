"""One check: what was looked at, the verdict, and what to do. All of them: the worst, and the order.

The trap: what could not be looked at is unknown: neither ok nor wrong, and with an exit code of its own.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from trainwatch.core.errors import ExitCode
from trainwatch.core.redact import redact

Verdict = Literal["ok", "warning", "wrong", "unknown"]
_WORST_FIRST: tuple[Verdict, ...] = ("wrong", "unknown", "warning", "ok")
CONFIGURATION = "configuration"  # the group whose wrongs are wrong usage


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """`saw` and `do` may hold foreign text: whoever shows them cleans them. `do` is one line, or empty."""

    group: str
    name: str
    verdict: Verdict
    saw: str
    do: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All of them, as scripts read it."""

    verdict: Verdict
    checks: tuple[Check, ...]
    schema_version: int = 1


def tellable(check: Check) -> Check:
    """As it may leave the house: without secrets that an error quoted, and as UTF-8, whatever names are."""
    return replace(
        check, name=_tellable(check.name), saw=_tellable(check.saw), do=_tellable(check.do)
    )


def _tellable(text: str) -> str:
    return redact(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def report(checks: Sequence[Check]) -> Report:
    """All checks, in their order, with the worst of their verdicts."""
    return Report(verdict=worst(one.verdict for one in checks), checks=tuple(checks))


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The one that counts; ok where there are none."""
    return min(verdicts, key=_WORST_FIRST.index, default="ok")


def troubles(checks: Iterable[Check]) -> list[Check]:
    """Those that are not ok, what is wrong first."""
    amiss = [one for one in checks if one.verdict != "ok"]
    return sorted(amiss, key=lambda one: _WORST_FIRST.index(one.verdict))


def exit_code(checks: Sequence[Check]) -> ExitCode:
    """By the worst: a wrong configuration, whatever else is wrong, what nobody knows. Warnings are none."""
    wrong = {one.group for one in checks if one.verdict == "wrong"}
    if CONFIGURATION in wrong:
        return ExitCode.USAGE
    if wrong:
        return ExitCode.UNHEALTHY
    unknown = any(one.verdict == "unknown" for one in checks)
    return ExitCode.UNKNOWN if unknown else ExitCode.OK

"""The [[sync]] tables: what is sent, where to, and how often.

The trap: people paste a URL with a password in it, or a token. It would stand in a file that others read, and
in every message about it: such a place is refused, without repeating it.
"""

import re
from typing import Annotated

import msgspec

from trainwatch.core.errors import UsageError
from trainwatch.core.patterns import pattern
from trainwatch.core.redact import redact

_ROUTE, _ROOT = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", r"^[/~][^\x00-\x1f\x7f]*$"
_GLOB = r"^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
_INTO = r"^(?:[^/\x00-\x1f\x7f]+(?:/[^/\x00-\x1f\x7f]+)*)?$"
MEANT = {
    _ROOT: "a folder that begins with / or ~",
    _ROUTE: "a name of letters, digits, '_', '-' and '.'",
    _GLOB: "a glob below the root, which does not begin with /",
    _INTO: "a folder that neither begins nor ends with /",
}
Route = Annotated[str, msgspec.Meta(pattern=_ROUTE, max_length=100)]
Root = Annotated[str, msgspec.Meta(pattern=_ROOT, max_length=1000)]
Glob = Annotated[str, msgspec.Meta(pattern=_GLOB, max_length=500)]
Into = Annotated[str, msgspec.Meta(pattern=_INTO, max_length=500)]
_HUB = pattern(r"hf://(models|datasets|buckets)/[\w][\w.-]*/[\w][\w.-]*", re.ASCII)
_URL = pattern(r"([a-z][a-z0-9+.-]*)://[^\x00-\x1f\x7f]+", re.ASCII)
_HUB_LIMIT = 128  # commits an hour to one repository, of a free account
MB = 1024 * 1024


class SyncSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One route: what lies below `root` and is meant by `what` goes to `to`; or the public page of a run."""

    name: Route
    root: Root = ""  # and `what`, or `public` in their place
    what: tuple[Glob, ...] = ()
    public: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None  # a run's name
    to: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
    into: Into = ""
    every_min: Annotated[float, msgspec.Meta(ge=1, le=10_080)] = 15.0
    most_commits_per_hour: Annotated[int, msgspec.Meta(ge=1, le=_HUB_LIMIT)] = 20
    calm_min: Annotated[float, msgspec.Meta(ge=0, le=1440)] = 10.0
    part_mb: Annotated[float, msgspec.Meta(ge=0.01, le=1024)] = 64.0
    create: bool = False
    private: bool = True
    deadline_min: Annotated[float, msgspec.Meta(ge=0.1, le=1440)] = 20.0


def check(routes: tuple[SyncSettings, ...], where: str) -> None:
    """Raise UsageError for what no single value shows."""
    names, commits = set[str](), dict[str, int]()
    for number, route in enumerate(routes):
        at = f"{where}: sync[{number}]"
        if route.name.lower() in names:
            raise UsageError(f"{at}.name: there are two routes of the name '{route.name}'")
        names.add(route.name.lower())
        _check_what(route, at)
        check_place(route.to, f"{at}.to")
        for key, paths in (("what", route.what), ("into", (route.into,))):
            if any(part == ".." for path in paths for part in path.split("/")):
                raise UsageError(f"{at}.{key}: '..' leads out of the folder; name another root")
        if route.to.startswith("hf://"):
            commits[route.to] = commits.get(route.to, 0) + route.most_commits_per_hour
            if commits[route.to] > _HUB_LIMIT:
                raise UsageError(
                    f"{at}.most_commits_per_hour: the routes to {route.to} may make "
                    f"{commits[route.to]} commits an hour, and the Hub takes {_HUB_LIMIT}"
                )


def _check_what(route: SyncSettings, at: str) -> None:
    if route.public is None:
        for key, value in (("root", route.root), ("what", route.what)):
            if not value:
                raise UsageError(
                    f'{at}.{key}: it is missing; a route needs root and what, or public = "RUN" for '
                    "the page of a run"
                )
    elif route.root or route.what:
        raise UsageError(f"{at}.public: it stands in the place of root and what; leave these out")


def check_place(to: str, at: str) -> None:
    """Raise UsageError for what is no place, or holds a secret, which is not repeated."""
    if redact(to) != to or ("@" in to.partition("://")[2].partition("/")[0] and "://" in to):
        raise UsageError(
            f"{at}: it holds a token or a password, which must not stand in this file. Log in with "
            "`hf auth login` (or HF_TOKEN, AWS_PROFILE, ...) where trainwatch runs"
        )
    if to.startswith("hf://"):
        if _HUB.fullmatch(to) is None:
            raise UsageError(
                f"{at}: '{to}' is no place on the Hub; write hf://models/ORG/NAME, "
                "hf://datasets/ORG/NAME or hf://buckets/ORG/NAME (a folder there goes into `into`)"
            )
    elif not to.startswith(("/", "~")) and _URL.fullmatch(to) is None:
        raise UsageError(
            f"{at}: '{to}' is no place; write hf://models/ORG/NAME, a folder that begins with / or ~, "
            "or a URL that fsspec knows (s3://BUCKET/FOLDER, gs://...)"
        )

"""Regular expressions that are compiled when a line first needs them.

A log needs a few of a hundred, and to compile all takes nearly as long as Python takes to start.
"""

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub")


class _Later:
    def __init__(self, source: Any, flags: int) -> None:
        self._given = (source, flags)

    def __getattr__(self, name: str) -> Any:
        """Called where there is no such attribute yet: from then on the methods are the pattern's own."""
        known = re.compile(*self._given)
        for method in _METHODS:
            setattr(self, method, getattr(known, method))
        return getattr(known, name)


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, but later; a source that is none raises re.error at its first use."""
    return cast("re.Pattern[AnyStr]", _Later(source, flags))

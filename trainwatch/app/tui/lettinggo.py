"""A widget that is gone takes with it what it has drawn. The traps, in Textual 8.2:

It remembers two colours for each widget that it ever drew, up to 1,024 of them, and with the colours all
that the widget has drawn: seven widgets for each time that help was opened. After two minutes of the fuzz
662 of them held 22 MB, where 31 were on the screen.

A widget remembers a thousand answers to "which of yours is this?", also about those that are gone.
"""

from functools import lru_cache, partial
from typing import Any

from textual._styles_cache import StylesCache
from textual.widget import Widget


def let_go() -> None:
    """From now on the colours are remembered without the widget: they are the same for all of them."""
    held: Any = StylesCache.__dict__["get_inner_outer"]
    if hasattr(held, "cache_clear"):  # neither done before, nor by Textual itself
        held.cache_clear()
        alike: Any = staticmethod(lru_cache(1024)(partial(held.__wrapped__, StylesCache)))
        StylesCache.get_inner_outer = alike  # type: ignore[method-assign]


async def empty(widget: Widget) -> None:
    """All that is on it goes, and is forgotten."""
    await widget.remove_children()
    widget._query_one_cache.clear()

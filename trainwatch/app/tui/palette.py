"""The command palette: all that can be done, found by a few letters of its words. Loaded when somebody asks.

The trap: Textual's matcher tries every way to find letters in a text, which takes hours for hostile names.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.command import (
    CommandInput,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
)
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.errors import NoWidget
from textual.events import Click
from textual.fuzzy import FuzzySearch
from textual.screen import Screen
from textual.style import Style
from textual.widgets import LoadingIndicator
from textual.worker import Worker

from trainwatch.app.tui.choices import Choice
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import CLOSE, PICK, TAKE
from trainwatch.app.tui.text import cut, harmless

_KEY = 12  # columns, as in the help
_LONGEST = 80  # characters of what is asked for
_WAYS = 20_000  # to find a word that are tried
_ASKS = "a few letters of what is to be done"
_MATCH = Style(bold=True, underline=True)


class Line(CommandInput):
    """What is pasted may come from a log: Textual would send its escape sequences to the terminal."""

    def validate_value(self, value: str) -> str:
        """What can be seen of it."""
        return harmless(value)[:_LONGEST]


class Commands(CommandList):
    """Those that were found. Textual cannot turn their pages before they were drawn once."""

    async def _on_click(self, event: Click) -> None:
        """Choose, unless what was clicked at has just gone: other letters were typed."""
        event.prevent_default()
        with suppress(IndexError):
            await super()._on_click(event)

    def action_page_up(self) -> None:
        """A page up."""
        with suppress(KeyError):
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """A page down."""
        with suppress(KeyError):
            super().action_page_down()  # type: ignore[no-untyped-call]


class Palette(CommandPalette):
    """Over the screen, until something is chosen."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        self.choices = choices
        super().__init__(providers=[Choices])  # without an id: the one before may still be closing

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close it, once: as over.py says."""
        return super().dismiss(result) if self._is_up() else AwaitComplete()

    def _gather_commands(self, search_value: str) -> Worker[None] | None:  # type: ignore[override]
        """Search; not for a letter that came just before it was closed, when there is no list any more."""
        return super()._gather_commands(search_value) if self._is_up() else None

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """A click beside it closes it; before it is laid out there is nothing beside it, either."""
        event.prevent_default()  # else Textual calls its own, too
        with suppress(NoWidget):
            super()._on_click(event)

    def _is_up(self) -> bool:
        return self.app.screen is self

    def compose(self) -> ComposeResult:
        """As Textual does, without a picture, and nothing moves by itself."""
        line = Line(placeholder=_ASKS, select_on_focus=False)
        line.cursor_blink = False
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                yield line
            with Vertical(id="--results"):
                yield Commands()
                yield LoadingIndicator()
        yield Hints("", (TAKE, PICK, CLOSE))


class Choices(Provider):
    """Finds choices of the palette that is open."""

    def __init__(self, screen: Screen[Any], match_style: Style | None = None) -> None:
        super().__init__(screen, match_style)
        self._search_in = FuzzySearch()

    @property
    def choices(self) -> Sequence[Choice]:
        """All there are."""
        palette = self.app.screen
        return palette.choices if isinstance(palette, Palette) else ()

    async def discover(self) -> Hits:
        """Everything, before something is typed."""
        for choice in self.choices:
            yield DiscoveryHit(_line(choice, ()), choice.do, choice.words)

    async def search(self, query: str) -> Hits:
        """Those that have the letters of each word."""
        for choice in self.choices:
            found = match(self._search_in, query, choice.words)
            if found is not None:
                yield Hit(found.score, _line(choice, found.places), choice.do, choice.words)


class Match(NamedTuple):
    """How well it fits (more is better), and where."""

    score: float
    places: tuple[int, ...]


def match(search: FuzzySearch, asked: str, words: str) -> Match | None:
    """Every word that is asked for, in any order; None where one is not there."""
    score, places = 0.0, set[int]()
    for word in asked.lower().split():
        found, at = _of_word(search, word, words.lower())
        if not found:
            return None
        score += found
        places.update(at)
    return Match(score, tuple(sorted(places)))


def _of_word(search: FuzzySearch, word: str, words: str) -> tuple[float, Sequence[int]]:
    ways = math.prod(words.count(letter) for letter in word)
    if ways > _WAYS and word not in words:
        return 0.0, ()
    return search.match(word, words)


def _line(choice: Choice, places: Sequence[int]) -> Content:
    words = Content(choice.words)
    for place in places:
        words = words.stylize(_MATCH, place, place + 1)
    return Content.styled(f"{choice.shown:<{_KEY}}", "$quiet") + cut(words, _LONGEST)

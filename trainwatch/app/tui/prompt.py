"""The line to type a search or a place in. Its own file: it loads what nothing else needs."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from trainwatch.app.tui.over import Over
from trainwatch.app.tui.text import foreign, harmless


class Line(Input):
    """What is pasted may come from a log: Textual would send its escape sequences to the terminal."""

    def validate_value(self, value: str) -> str:
        """What can be seen of it."""
        return harmless(value)


class Prompting(Over[tuple[str, str] | None]):
    """Over the last line of the screen. Answers with its kind and what was typed; None if it was closed."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "close", show=False)]

    def __init__(self, kind: str, placeholder: str, value: str, known: Sequence[str] = ()) -> None:
        """What is `known` is offered while it is typed: → takes it."""
        super().__init__()
        self._known = known
        self._kind, self._placeholder, self._value = kind, placeholder, value

    def compose(self) -> ComposeResult:
        """One line: what is asked for, the answer, and how it is given."""
        called, keys = f" {self._kind} ", " Enter take it  Esc close "
        room = self.app.size.width - len(called) - 3
        keys = keys if room - len(keys) > len(self._placeholder) else ""
        line = Line(
            self._value,
            placeholder=foreign(self._placeholder, room - len(keys)).plain,
            suggester=SuggestFromList(self._known, case_sensitive=False) if self._known else None,
            compact=True,
            select_on_focus=True,
        )
        line.cursor_blink = False  # nothing moves by itself
        with Horizontal():
            yield Static(called, markup=False)
            yield line
            yield Static(keys, markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        self.dismiss((self._kind, event.value))

    def action_close(self) -> None:
        """Never mind."""
        self.dismiss(None)

"""The help: every key there is, from the table that the bindings are made of."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from trainwatch.app.tui.keys import MOUSE, SECTIONS, allowed
from trainwatch.app.tui.text import lines

_KEYS, _WORDS = 12, 21  # columns for keys, for words
SIGNS = (
    ("● ▲ ✖", "well, a warning, critical"),
    ("?", "unknown: neither well nor dead"),
    ("line, band", "the mean; least to greatest"),
    ("grey", "was trained again since"),
    ("┊ ▵ ◆", "attempt, checkpoint, validation"),
    ("! ╎ ✖", "a warning fired, a critical alert"),
    ("✗ ▴ ▾", "NaN or infinite; beyond the axis"),
)


class Help(ModalScreen[None]):
    """Any of the usual keys closes it."""

    AUTO_FOCUS = "#help"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss", "close", show=False)
    ]

    def __init__(self, *, read_only: bool = False) -> None:
        super().__init__()
        self._read_only = read_only

    def compose(self) -> ComposeResult:
        """One page that scrolls; two columns where there is room."""
        keys = [
            Section(heading, _KEYS, [(key.shown, key.says) for key in shown])
            for heading, table in SECTIONS
            if (shown := allowed(table, read_only=self._read_only))
        ]
        rest = [Section("mouse", _WORDS, list(MOUSE)), Section("signs", _KEYS, list(SIGNS))]
        with VerticalScroll(id="help"), Container(id="columns"):
            yield Static(helped(keys[:2]), markup=False)
            yield Static(helped([*keys[2:], *rest]), markup=False)


class Section(NamedTuple):
    """A heading, how wide the left side is, and both sides."""

    heading: str
    left: int
    pairs: list[tuple[str, str]]


def helped(sections: list[Section]) -> Content:
    """Some sections of the help."""
    rows: list[Content] = []
    for heading, left, pairs in sections:
        rows.append(Content.styled(heading, "bold $bar"))
        rows += [Content.assemble((f"  {shown:<{left}}", "bold"), says) for shown, says in pairs]
        rows.append(Content(""))
    return lines(rows)

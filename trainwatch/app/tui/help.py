"""The help: every key there is, from the table that the bindings are made of."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import (
    CLOSE,
    FLEET,
    FLEET_ANYWHERE,
    FLEET_MOUSE,
    MOUSE,
    SCROLL,
    SECTIONS,
    Key,
    allowed,
)
from trainwatch.app.tui.over import Over
from trainwatch.app.tui.text import lines

_KEYS, _WORDS = 12, 21  # columns for keys, for words
SIGNS = (
    ("● ▲ ✖", "well, a warning, critical"),
    ("?", "unknown: neither well nor dead"),
    ("line, band", "the mean; least to greatest"),
    ("grey", "was trained again since"),
    ("┊ ▵ ◆", "attempt, checkpoint, validation"),
    ("≡ ⋮", "the batch size changes"),
    ("! ╎ ✖", "a warning fired, a critical alert"),
    ("✗ ▴ ▾", "NaN or infinite; beyond the axis"),
    ("• · …", "log: progress, noise, folded"),
)
FLEET_SIGNS = (
    ("● ▲ ✖", "well, a warning, critical"),
    ("?", "unknown: neither well nor dead"),
    ("2✖ 1▲", "alerts that fire"),
    ("▁▂▄▆", "samples a second, lately"),
    ("a blank", "not known"),
)


class Help(Over[None]):
    """Any of the usual keys closes it."""

    AUTO_FOCUS = "#help"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss", "close", show=False)
    ]

    def __init__(
        self,
        pages: "Pages | None" = None,
        beside: tuple[Key, ...] = (),
        *,
        read_only: bool = False,
    ) -> None:
        """`beside`: keys that are had anywhere besides those of the pages."""
        super().__init__()
        self._pages, self._beside, self._read_only = pages or PAGES, beside, read_only

    def compose(self) -> ComposeResult:
        """One page that scrolls; two columns where there is room."""
        pages = self._pages
        (first, table), *others = pages.keys
        sections = [(first, (*table, *self._beside)), *others]
        keys = [
            Section(heading, _KEYS, [(key.shown, key.says) for key in shown])
            for heading, table in sections
            if (shown := allowed(table, read_only=self._read_only))
        ]
        mouse = Section("mouse", _WORDS, list(pages.mouse))
        signs = Section("signs", _KEYS, list(pages.signs))
        told = [*keys, mouse, signs]
        left = [section for section in told if section.heading in pages.left]
        right = [section for section in told if section.heading not in pages.left]
        with VerticalScroll(id="help"), Container(id="columns"):
            yield Static(helped(left), markup=False)
            yield Static(helped(right), markup=False)
        yield Hints("", (CLOSE, SCROLL))


class Pages(NamedTuple):
    """What a help tells: tables of keys under headings, the rest, and which headings stand at the left."""

    keys: tuple[tuple[str, tuple[Key, ...]], ...]
    mouse: tuple[tuple[str, str], ...]
    signs: tuple[tuple[str, str], ...]
    left: frozenset[str]


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


PAGES = Pages(SECTIONS, MOUSE, SIGNS, frozenset(("anywhere", "log and lists", "alerts", "mouse")))
FLEET_PAGES = Pages(
    (("all runs", FLEET), ("anywhere", FLEET_ANYWHERE)),
    FLEET_MOUSE,
    FLEET_SIGNS,
    frozenset(("all runs",)),
)

"""Text as Markdown. The trap: `*.out` in a sentence makes the rest of it italic, and `|` ends a cell."""

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Made from the code by `make docs`: a change here is lost. -->\n"
_MEANT = re.compile(r"([\\*]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w))")


def plain(text: str) -> str:
    """A sentence whose signs mean nothing; what stands in backquotes stays code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part[:1] == "`" else _MEANT.sub(r"\\\1", part) for part in parts)


def code(text: str) -> str:
    """As code; nothing for nothing."""
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells that are Markdown already; a column in which nothing stands is left out."""
    lines = [list(row) for row in rows]
    kept = [n for n in range(len(heads)) if any(row[n] for row in lines)]
    cells = [[heads[n] for n in kept], ["---"] * len(kept)]
    cells += [[row[n].replace("|", r"\|") for n in kept] for row in lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def page(*parts: str) -> str:
    """Parts with an empty line between them."""
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)

"""Text of others, made harmless: what a log, a path or a person's configuration says is never markup.

The trap: Textual reads `[...]` in plain strings as markup, in most widgets. Everything that is shown is
`Content`, and everything foreign has gone through `foreign`.
"""

from textual.content import Content

from trainwatch.app import words

_LONGEST = 4000  # characters: a megabyte in the place of a name would be measured at each look
_BETWEEN = Content.styled(" · ", "$faint")


def foreign(text: str, width: int | None = None, style: str = "") -> Content:
    """Foreign text of one line, cut to `width` cells; without, to what no screen has room for."""
    text = text[: _LONGEST if width is None else 4 * max(0, width)]
    clean = harmless(text)
    content = Content.styled(clean, style) if style else Content(clean)
    return content if width is None else cut(content, width)


def harmless(text: str) -> str:
    """Without control characters and what else cannot be seen: a blank instead of each."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def cut(content: Content, width: int) -> Content:
    """At most so many cells; what is left out is shown by an ellipsis."""
    if content.cell_length <= width:
        return content
    return content.truncate(max(0, width), ellipsis=width > 1)


def filled(content: Content, width: int) -> Content:
    """Exactly so many cells."""
    content = cut(content, width)
    return content.pad_right(max(0, width - content.cell_length))


def spread(left: Content, right: Content, width: int) -> Content:
    """One at the left, one at the right; the left one gives way."""
    right = cut(right, width)
    return filled(left, width - right.cell_length) + right


def listed(parts: list[Content], width: int) -> Content:
    """Parts beside each other, the first ones first; those that do not fit are left out whole."""
    line = cut(parts[0], width) if parts else Content("")
    for part in parts[1:]:
        if line.cell_length + len(_BETWEEN.plain) + part.cell_length > width:
            break
        line = line + _BETWEEN + part
    return line


def lines(rows: list[Content]) -> Content:
    """Rows under each other."""
    return Content("\n").join(rows)


def age(seconds: float | None) -> str:
    """How long ago, in minutes at least: a screen on which nothing happens must not change."""
    if seconds is None:
        return words.DASH
    if seconds < 60:
        return "<1 min"
    return words.duration(seconds // 60 * 60)


def roughly(seconds: float) -> str:
    """How long ago in one unit, for what is told beside something more exact."""
    for length, unit, least in ((86400, "d", 2), (3600, "h", 2), (60, "min", 1)):
        if seconds >= least * length:
            return f"{seconds // length:,.0f} {unit}"
    return "<1 min"

"""How wide a text is on a terminal, and how it is cut to a width: in cells, not in characters.

The trap: Chinese, Japanese and Korean characters and most emoji take two cells, combining marks none.
"""

import unicodedata


def cells(text: str) -> int:
    """The cells that a text without control characters takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def even(text: str) -> bool:
    """Whether every character takes one cell: then places in it are counted as characters."""
    return text.isascii() or all(_cells(character) == 1 for character in text)


def cut(text: str, width: int, more: str = "...") -> str:
    """The text, or as much of it as fits into so many cells with `more` behind it."""
    if cells(text) <= width:
        return text
    left = width - cells(more)
    if left < 0:
        return cut(text, width, "") if more else ""
    taken = 0
    for index, character in enumerate(text):
        taken += _cells(character)
        if taken > left:
            return text[:index].rstrip() + more
    return text + more


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1

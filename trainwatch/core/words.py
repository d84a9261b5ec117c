"""Numbers, lengths of time and foreign text as people read them. Unknown is a dash."""

import math

DASH = "–"
_SCALES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def number(value: float | None, digits: int = 4) -> str:
    """So many significant digits, with thousands commas where they are whole: `95,000`, `2.303`."""
    if value is None:
        return DASH
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 10**9:
        return f"{int(value):,}"
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.{max(1, digits - 2)}e}"
    decimals = max(0, digits - 1 - (math.floor(math.log10(abs(value))) if value else 0))
    return f"{value:,.{decimals}f}"


def short(value: float | None, unit: str = "", digits: int = 3) -> str:
    """With k, M, G, T: `34.9 G`. The unit stands behind."""
    if value is None:
        return DASH
    for scale, letter in _SCALES:
        if abs(value) >= scale:
            return f"{value / scale:.{digits}g} {letter}{unit}"
    return f"{value:.{digits}g} {unit}".rstrip()


def percent(share: float | None, decimals: int = 1) -> str:
    """A share of one: `37.7 %`."""
    return DASH if share is None else f"{share * 100:.{decimals}f} %"


def duration(seconds: float | None) -> str:
    """The two largest units: `9 d 4 h`, `3 h 12 min`, `43 s`."""
    if seconds is None or not math.isfinite(seconds):
        return DASH
    left = max(0, round(seconds))
    parts: list[str] = []
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, left = divmod(left, length)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
        if len(parts) == 2 or (parts and not left):
            break
    return " ".join(parts)


def clean(text: str, width: int = 200) -> str:
    """Foreign text for a terminal: no control characters, not too long."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return printable if len(printable) <= width else printable[: width - 1] + "…"

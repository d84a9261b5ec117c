"""Sizes, counts and lengths of grace as quota commands write them.

The trap: `G` is 2^30 bytes in their sizes and 10^9 in their counts, and a size without a letter is of KiB.
"""

from trainwatch.core.patterns import pattern

KIB = 1024
_POWERS = {letter: power for power, letter in enumerate("KMGTPE", 1)}
_SIZE = pattern(r"(\d{1,24}(?:\.\d{1,12})?)\s*(?:([KMGTPEkmgtpe])?(i)?([BbOo]|bytes|octets)?)?")
_COUNT = pattern(r"(\d{1,24}(?:\.\d{1,12})?)([kKmMgGtT])?")
_LENGTH = pattern(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_CLOCK = pattern(r"(\d+):(\d\d)")
_WORDS = pattern(r"(\d+)\s*(day|hour|minute|min|second|sec)s?")
_SECONDS = {"day": 86_400, "hour": 3600, "minute": 60, "min": 60, "second": 1, "sec": 1}
_MOST = 2**63


def size_bytes(text: str, *, plain: int = 1) -> int | None:
    """`10G` and `10GiB` (or `Gio`) are 10 x 2^30, `10GB` is 10 x 10^9; `plain`: bytes of 1 without a unit.

    None for what is no size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, letter, binary, byte = match.groups()
    if letter is None:
        unit = 1 if byte else plain
    else:
        unit = (1000 if byte and not binary else KIB) ** _POWERS[letter.upper()]
    found = round(float(number) * unit) if "." in number else int(number) * unit
    return found if found < _MOST else None


def count(text: str) -> int | None:
    """`160k` is 160,000; None for what is no count."""
    match = _COUNT.fullmatch(text.strip())
    if match is None:
        return None
    number, letter = match.groups()
    unit = 1000 ** _POWERS[letter.upper()] if letter else 1
    found = round(float(number) * unit) if "." in number else int(number) * unit
    return found if found < _MOST else None


def grace_s(text: str) -> float | None:
    """`6days`, `23:59`, `6d23h59m`, `2 days`; 0 for a grace that is over. None for what is none of these."""
    word = text.strip().lower()
    if word in ("none", "expired"):
        return 0.0
    if match := _CLOCK.fullmatch(word):
        return float(int(match[1]) * 3600 + int(match[2]) * 60)
    if match := _WORDS.fullmatch(word):
        return float(int(match[1]) * _SECONDS[match[2]])
    match = _LENGTH.fullmatch(word)
    if match is None or not word:
        return None
    parts = zip(match.groups(), (604_800, 86_400, 3600, 60, 1), strict=True)
    return float(sum(int(value) * unit for value, unit in parts if value))


def limit(found: int | None) -> int | None:
    """Zero is how these commands write that there is no limit."""
    return found or None

"""What the parts of a chart look like, in the words of the theme.

Not in the stylesheet: Textual would make a node of each of thirty parts of each chart, and match every rule
with it whenever a class changes; that was half of the time from an empty screen to the first picture.
"""

from typing import Final

# `{}` is the colour of what is drawn.
PARTS: Final = {
    "axis": "$quiet",
    "rule": "$faint",
    "rule-lit": "$bar",  # while it has the keys
    "title": "bold {}",
    "tab": "$quiet",
    "value": "bold $foreground",
    "line": "{}",
    "band": "{} 45%",
    "old": "$trace-old",
    "attempt": "$faint",
    "attempt-a": "bold $trace-learn",
    "attempt-b": "bold $trace-speed",
    "attempt-c": "bold $trace-norm",
    "attempt-d": "bold $trace-plan",
    "attempt-e": "bold $foreground",
    "saved": "$good",
    "other": "bold $foreground",
    "other-band": "$quiet 50%",
    "batch": "$trace-plan",
    "cursor": "$foreground",
    "bad": "bold $bad",
    "beyond": "$warn",
    "warned": "$warn",
    "alarmed": "$bad",
    "warned-sign": "bold reverse $warn",
    "alarmed-sign": "bold reverse $bad",
    "check": "$trace-check",
}


def style_of(part: str, colour: str) -> str:
    """The style of a part of a chart in which things are drawn in this colour of the theme."""
    return PARTS[part].format(f"${colour}")

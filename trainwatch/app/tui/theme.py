"""Colours: dark, light, for the colour-blind, of high contrast, the terminal's own.

The trap: health is never told by colour alone. What a new theme has to be stands in test_theme.py.
"""

import os
from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK, LIGHT, TERMINAL = "dark", "light", "terminal"
SAFE, CONTRAST = "colour-blind", "high-contrast"
NAMES = (DARK, LIGHT, SAFE, CONTRAST, TERMINAL)

# quiet: labels and units; faint: rules and axes; trace-*: lines of charts, by what they show
_DARK = {
    "quiet": "#8a94a3",
    "faint": "#3c4654",
    "bar": "#4f9fe0",
    "pick": "#26313f",
    "good": "#73c277",
    "warn": "#e3b341",
    "bad": "#f0716b",
    "blind": "#b39ddb",
    "on-badge": "#101418",
    "trace-learn": "#62aef0",
    "trace-speed": "#73c277",
    "trace-norm": "#c99bf0",
    "trace-plan": "#e3b341",
    "trace-old": "#5b6573",
    "trace-check": "#f5d76e",
}
_LIGHT = {
    "quiet": "#66707c",
    "faint": "#cdd3da",
    "bar": "#1f6fc0",
    "pick": "#dde7f2",
    "good": "#1a7f37",
    "warn": "#9a6700",
    "bad": "#c62828",
    "blind": "#6a3fb5",
    "on-badge": "#ffffff",
    "trace-learn": "#1f6fc0",
    "trace-speed": "#1a7f37",
    "trace-norm": "#8250df",
    "trace-plan": "#9a6700",
    "trace-old": "#aab2bc",
    "trace-check": "#bf5700",
}
# the colours of Okabe and Ito ("Color Universal Design", 2008), which most colour-blind people tell apart
_SAFE = {
    **_DARK,
    "bar": "#56b4e9",
    "good": "#56b4e9",
    "warn": "#f0e442",
    "bad": "#d55e00",
    "blind": "#cc79a7",
    "trace-learn": "#56b4e9",
    "trace-speed": "#009e73",
    "trace-norm": "#cc79a7",
    "trace-plan": "#e69f00",
    "trace-check": "#f0e442",
}
_CONTRAST = {
    "quiet": "#d0d0d0",
    "faint": "#8a8a8a",
    "bar": "#5cb8ff",
    "pick": "#003a70",
    "good": "#5cb8ff",
    "warn": "#ffee33",
    "bad": "#ff7f50",
    "blind": "#ffe0f5",
    "on-badge": "#000000",
    "trace-learn": "#5cb8ff",
    "trace-speed": "#7dff9b",
    "trace-norm": "#ffb3ec",
    "trace-plan": "#ffee33",
    "trace-old": "#a0a0a0",
    "trace-check": "#ffffff",
}
_TERMINAL = {
    "quiet": "ansi_default",
    "faint": "ansi_bright_black",
    "bar": "ansi_blue",
    "pick": "ansi_bright_black",
    "good": "ansi_green",
    "warn": "ansi_yellow",
    "bad": "ansi_red",
    "blind": "ansi_magenta",
    "on-badge": "ansi_black",
    "trace-learn": "ansi_blue",
    "trace-speed": "ansi_green",
    "trace-norm": "ansi_magenta",
    "trace-plan": "ansi_yellow",
    "trace-old": "ansi_bright_black",
    "trace-check": "ansi_cyan",
}


def _made(name: str, letters: str, grounds: tuple[str, str, str], own: dict[str, str]) -> Theme:
    """`grounds`: behind everything, behind the hints, behind what lies over a screen."""
    background, surface, panel = grounds
    return Theme(
        name=name,
        primary=own["bar"],
        foreground=letters,
        background=background,
        surface=surface,
        panel=panel,
        dark=name != LIGHT,
        variables=own,
    )


_NIGHT = ("#101418", "#171c22", "#1c232b")
THEMES = (
    _made(DARK, "#d7dde5", _NIGHT, _DARK),
    _made(LIGHT, "#1f2328", ("#fdfdfc", "#f3f5f7", "#eaeef2"), _LIGHT),
    _made(SAFE, "#d7dde5", _NIGHT, _SAFE),
    _made(CONTRAST, "#ffffff", ("#000000", "#000000", "#101010"), _CONTRAST),
    Theme(
        name=TERMINAL,
        ansi=True,
        primary="ansi_blue",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        variables={**BUILTIN_THEMES["ansi-dark"].variables, **_TERMINAL},
    ),
)


def chosen(
    named: str | None, environ: Mapping[str, str] = os.environ, *, before: object = None
) -> str:
    """The theme to begin with.

    As named; else the terminal's own without colours; else that of `before`; else what COLORFGBG says.
    """
    if named in NAMES:
        return str(named)
    if "NO_COLOR" in environ:
        return TERMINAL
    if isinstance(before, str) and before in NAMES:
        return before
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK


def after(name: str) -> str:
    """The next theme."""
    return NAMES[(NAMES.index(name) + 1) % len(NAMES)] if name in NAMES else DARK

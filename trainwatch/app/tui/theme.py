"""Colours: dark, light, and the terminal's own. Health is never told by colour alone."""

import os
from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK, LIGHT, TERMINAL = "dark", "light", "terminal"
NAMES = (DARK, LIGHT, TERMINAL)

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

THEMES = (
    Theme(
        name=DARK,
        primary="#4f9fe0",
        foreground="#d7dde5",
        background="#101418",
        surface="#171c22",
        panel="#1c232b",
        variables=_DARK,
    ),
    Theme(
        name=LIGHT,
        primary="#1f6fc0",
        foreground="#1f2328",
        background="#fdfdfc",
        surface="#f3f5f7",
        panel="#eaeef2",
        dark=False,
        variables=_LIGHT,
    ),
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


def chosen(named: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """The theme to begin with: as named; the terminal's own without colours; what COLORFGBG says."""
    if named in NAMES:
        return str(named)
    if "NO_COLOR" in environ:
        return TERMINAL
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK


def after(name: str) -> str:
    """The next theme."""
    return NAMES[(NAMES.index(name) + 1) % len(NAMES)] if name in NAMES else DARK

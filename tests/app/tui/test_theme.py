"""Colours that people can tell apart who see fewer of them, and that can be read."""

import itertools

import pytest

from trainwatch.app.commands.tui import _THEMES
from trainwatch.app.tui import theme

Linear = tuple[float, float, float]
HEALTH = ("good", "warn", "bad", "blind")
BY_NAME = {each.name: each for each in theme.THEMES}
# What is left of linear RGB for those who lack a kind of cones: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
SEEN = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
JUST_SEEN = 2.3  # CIE76: the least difference that people notice side by side


def linear(colour: str) -> Linear:
    """Of a colour as #rrggbb."""
    parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


def seen(colour: str, by: str) -> Linear:
    """How a colour looks to somebody."""
    rgb = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True)))) for row in SEEN[by]
    )
    return red, green, blue


def lab(rgb: Linear) -> Linear:
    """CIELAB, where distances are as people see them."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    xyz = (sum(a * b for a, b in zip(row, rgb, strict=True)) for row in rows)
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (v / w for v, w in zip(xyz, white, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, by: str) -> float:
    pairs = zip(lab(seen(one, by)), lab(seen(other, by)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines have it, 1 to 21."""
    weights = (0.2126, 0.7152, 0.0722)
    light, dark = sorted(
        (sum(w * c for w, c in zip(weights, linear(each), strict=True)) for each in (one, other)),
        reverse=True,
    )
    return (light + 0.05) / (dark + 0.05)


def least(name: str, by: str) -> float:
    """Between the two colours of health that look most alike."""
    colours = [BY_NAME[name].variables[each] for each in HEALTH]
    return min(distance(a, b, by) for a, b in itertools.combinations(colours, 2))


@pytest.mark.parametrize("by", SEEN)
@pytest.mark.parametrize("name", [theme.SAFE, theme.CONTRAST])
def test_the_colour_blind_tell_health_apart(name: str, by: str) -> None:
    assert least(name, by) > 8 * JUST_SEEN


def test_why_there_is_such_a_theme() -> None:
    """Green and red of the usual one are nearly the same to one man in twenty: he needs the signs."""
    assert least(theme.DARK, "deuteranopia") < 3 * JUST_SEEN


@pytest.mark.parametrize(
    ("name", "least_contrast"),
    [(theme.DARK, 4.5), (theme.LIGHT, 4.5), (theme.SAFE, 4.5), (theme.CONTRAST, 7.0)],
)
def test_what_is_said_in_a_colour_can_be_read(name: str, least_contrast: float) -> None:
    colours = BY_NAME[name]
    assert colours.background is not None
    assert colours.foreground is not None
    said = {each: colours.variables[each] for each in (*HEALTH, "quiet")}
    for what, colour in {**said, "text": colours.foreground}.items():
        assert contrast(colour, colours.background) >= least_contrast, what
    for what in HEALTH:
        assert contrast(said[what], colours.variables["on-badge"]) >= 4.5, what


def test_all_themes_have_the_same_variables() -> None:
    names = {
        frozenset(each.variables) - frozenset(BY_NAME[theme.DARK].variables)
        for each in theme.THEMES[:-1]
    }
    assert names == {frozenset()}
    for each in theme.THEMES:
        assert frozenset(BY_NAME[theme.DARK].variables) <= frozenset(each.variables), each.name


def test_the_command_line_names_them_all() -> None:
    assert _THEMES == theme.NAMES == tuple(BY_NAME)


def test_each_comes_once_in_turn() -> None:
    turned = [theme.DARK]
    while (name := theme.after(turned[-1])) != theme.DARK:
        turned.append(name)
    assert turned == list(theme.NAMES)
    assert theme.after("of another program") == theme.DARK


@pytest.mark.parametrize(
    ("named", "environ", "before", "expected"),
    [
        ("light", {"NO_COLOR": "1"}, theme.SAFE, theme.LIGHT),
        (None, {"NO_COLOR": "1"}, theme.SAFE, theme.TERMINAL),
        (None, {"COLORFGBG": "0;15"}, theme.SAFE, theme.SAFE),
        (None, {"COLORFGBG": "0;15"}, "of a newer version", theme.LIGHT),
        (None, {"COLORFGBG": "15;0"}, None, theme.DARK),
        (None, {}, {"not": "a name"}, theme.DARK),
    ],
)
def test_what_decides(
    named: str | None, environ: dict[str, str], before: object, expected: str
) -> None:
    assert theme.chosen(named, environ, before=before) == expected

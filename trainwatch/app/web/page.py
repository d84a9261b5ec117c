"""What is served: a page, what people read who are not let in, and the few files there are.

Every file stands in a table, so there is no folder to list and no path to climb out of.
"""

import html
from importlib.resources import files
from importlib.util import find_spec
from typing import NamedTuple

from trainwatch.core.errors import MissingExtra

_SCRIPT, _FONT = "textual.js", "RobotoMono-VariableFont_wght.ttf"

_STYLE = """
@font-face { font-family: "Roboto Mono"; src: url("font.ttf");
  font-weight: 100 700; font-display: block; }
html, body { margin: 0; height: 100%; overflow: hidden; background: #121212; color: #e0e0e0; }
body { font: 16px "Roboto Mono", monospace; }
#said { position: absolute; inset: 0; z-index: 9;
  display: flex; align-items: center; justify-content: center; }
#said p { margin: 1em; }
#said a { color: #8ab4f8; }
#said .over, body.-first-byte .begins, body.-closed .begins { display: none; }
body.-first-byte #said { display: none; }
body.-closed #said { display: flex; background: #121212e0; }
body.-closed #said .over { display: block; }
"""
# Keys go to the terminal at once; textual-serve waits for a click.
_KEYS = """
addEventListener("load", () => document.querySelector(".xterm-helper-textarea")?.focus())
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="preload" href="font.ttf" as="font" type="font/ttf" crossorigin>
<link rel="stylesheet" href="xterm.css">
<link rel="stylesheet" href="page.css">
<script src="textual.js"></script>
<script src="page.js"></script>
</head>
<body>
<div id="said">
<p class="begins">{name}: looking …</p>
<p class="over">This screen has ended. <a href="./">Open it again</a></p>
</div>
<div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}" data-font-size="16"></div>
</body>
</html>
"""
_PLAIN = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>trainwatch</title></head>
<body><p>{said}</p></body></html>
"""

REFUSED = (
    "This is somebody's trainwatch. It opens with the link that its terminal printed, in the browser "
    "where that link was opened first."
)
STALE = (
    "This link does not open: each opens once, within an hour. For a new one press Enter in the terminal "
    "where trainwatch tui --web runs; where it runs without a terminal, start it again."
)
FULL = "As many screens are open as may be. Close one, then load this page again."
ABSENT = "There is no such page."
BROKEN = "Something went wrong here. The terminal where trainwatch runs says what."

_STRICT = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": f"default-src 'none'; {_STRICT}",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "trainwatch",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# The terminal in the page (xterm.js) writes style sheets of its own: styles are the one thing left open.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    f"connect-src 'self' {{socket}}; {_STRICT}"
)


class File(NamedTuple):
    """What is served under a name."""

    content: bytes
    kind: str


def load() -> dict[str, File]:
    """By name, all there is besides the page. Raises MissingExtra where textual-serve is not installed."""
    if find_spec("textual_serve") is None or find_spec("aiohttp") is None:
        raise MissingExtra("--web needs textual-serve: pip install 'trainwatch[web]'")
    static = files("textual_serve") / "static"
    try:
        return {
            "textual.js": File((static / "js" / _SCRIPT).read_bytes(), "text/javascript"),
            "xterm.css": File((static / "css" / "xterm.css").read_bytes(), "text/css"),
            "font.ttf": File((static / "fonts" / _FONT).read_bytes(), "font/ttf"),
            "page.css": File(_STYLE.encode(), "text/css"),
            "page.js": File(_KEYS.encode(), "text/javascript"),
        }
    except OSError as error:
        raise MissingExtra(
            f"--web: this textual-serve lacks {error.filename}: pip install --upgrade 'trainwatch[web]'"
        ) from error


def screen(name: str, socket: str) -> str:
    """The page with the terminal in it; `socket` is where its keys go."""
    named = html.escape(name)
    title = f"{named} · trainwatch"
    return _PAGE.format(title=title, name=named, socket=html.escape(socket))


def policy(host: str) -> str:
    """What the page may do, at a host that passed the gate. Not all browsers take 'self' for a websocket."""
    return _PAGE_POLICY.format(socket="" if host.startswith("[") else f"ws://{host}")


def plain(said: str) -> str:
    """A page of a sentence."""
    return _PLAIN.format(said=html.escape(said))

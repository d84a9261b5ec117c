"""SVG -> PNG with resvg, in a process of its own: it takes seconds, in which nothing else of ours would run.

The trap: without a font that has the signs it draws an empty picture and says nothing. So it is tried first.
"""

import importlib.util
import subprocess
import sys

from trainwatch.core.errors import MissingExtra

_DEADLINE_S = 120.0
_NO_FONT = 3
# In the child: the first of these fonts in which a letter and a sign of the charts are no blanks.
_CHILD = """
import sys
import resvg_py
def png(svg, font):
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, monospace_family=font))
def probe(text, font):
    return png('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
               f'<text y="16" font-family="monospace">{text}</text></svg>', font)
def seen(font):
    return probe("", font) not in (probe("a", font), probe(chr(0x28FF), font))
fonts = ("Fira Code", "DejaVu Sans Mono", "Noto Sans Mono", "JetBrains Mono", "Cascadia Mono",
         "FreeMono", "Liberation Mono", "Menlo", "Consolas")
font = next((each for each in fonts if seen(each)), None)
if font is None:
    sys.exit(3)
sys.stdout.buffer.write(png(sys.stdin.buffer.read().decode(), font))
"""


def png_of(svg: str) -> bytes:
    """The picture. Raises MissingExtra without resvg, OSError where it cannot be drawn."""
    if importlib.util.find_spec("resvg_py") is None:
        raise MissingExtra("a PNG needs resvg-py: pip install 'trainwatch[png]'; S saves an SVG")
    try:
        child = subprocess.run(  # noqa: S603 - ourselves; the picture goes by stdin
            [sys.executable, "-c", _CHILD],
            input=svg.encode(),
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"it was not drawn within {_DEADLINE_S:.0f} s; S saves an SVG") from error
    if child.returncode == _NO_FONT:
        raise OSError(
            "no font here has the signs of the charts (DejaVu Sans Mono has); S saves an SVG"
        )
    if child.returncode or not child.stdout:
        last = child.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise OSError(last or f"resvg ended with {child.returncode}")
    return child.stdout

"""Pictures as others can use them: a part of app/wire.py, and like it may name adapters."""

from trainwatch.adapters import raster


def png_of(svg: str) -> bytes:
    """A picture of the screen as PNG. Raises MissingExtra, OSError."""
    return raster.png_of(svg)

"""How much fits: the sizes at which the screen changes its shape, in columns and rows."""

WIDE = 112  # two charts beside each other, four columns of vitals
NORMAL = 18  # vitals
ROOMY = 34  # blank lines between the parts
TALL = 46  # two charts above each other


def charts_in(width: int, height: int) -> int:
    """Charts that are seen at once."""
    return (2 if width >= WIDE else 1) * (2 if height >= TALL else 1)

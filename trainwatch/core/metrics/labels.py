"""What tells series apart. Light, as the configuration needs it, too."""

Labels = tuple[tuple[str, str], ...]  # name and value
LABEL_CHARS = 120  # of a value

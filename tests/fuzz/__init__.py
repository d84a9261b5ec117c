"""Random keys, bytes, mouse, sizes and snapshots against the screens: python -m tests.fuzz --help."""

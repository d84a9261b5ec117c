"""Lines that trainwatch itself appends to a log: they say how a run is, and never count as its progress."""

PREFIX = "trainwatch: "
MARK = PREFIX.encode()

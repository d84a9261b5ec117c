"""Who may write a store now."""

from typing import NamedTuple


class Holder(NamedTuple):
    """Who holds a lease, and how long ago it ran out (less than 0: it holds). `pid` 0: it is damaged."""

    host: str
    pid: int
    over_s: float

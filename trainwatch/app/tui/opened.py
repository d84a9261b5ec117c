"""Keys and messages of a run that was just left are still on their way: they come to nothing.

The trap: its panels are gone by then, and whoever looks for one of them ends the program.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Opens(Protocol):
    """A screen on which there may be a run."""

    @property
    def opened(self) -> bool: ...


S = TypeVar("S", bound=Opens)
P = ParamSpec("P")


Handler = Callable[Concatenate[S, P], None]


def if_opened(handler: Handler[S, P]) -> Handler[S, P]:
    """Do this where there is a run."""

    @wraps(handler)
    def handle(self: S, /, *arguments: P.args, **named: P.kwargs) -> None:
        if self.opened:
            handler(self, *arguments, **named)

    return handle

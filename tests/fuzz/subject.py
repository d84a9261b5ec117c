"""What is fuzzed: something that takes steps, tells what went wrong, and comes back to what is well."""

from typing import Protocol

from tests.fuzz.steps import Step


class Failed(AssertionError):
    """Something that must never be, in words."""


class Subject(Protocol):
    """One. All of its methods raise Failed."""

    name: str

    async def begin(self) -> None:
        """Anew: nothing is left of what was before."""

    async def do(self, step: Step) -> None:
        """Take a step; look at what became of it where it is a rest."""

    async def recover(self) -> None:
        """Give it what is well, and see that it is shown."""

    async def end(self) -> None:
        """Leave it; also after a failure."""

    @property
    def left(self) -> bool:
        """Whether a key has ended it, as keys do."""

    def rss_bytes(self) -> int:
        """Memory it takes."""

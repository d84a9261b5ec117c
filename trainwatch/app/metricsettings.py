"""[metrics]: where numbers of the runs can be scraped. Both ways are off."""

from pathlib import Path
from typing import Annotated

import msgspec

from trainwatch.core.errors import UsageError
from trainwatch.core.metrics import address
from trainwatch.core.metrics.address import Address
from trainwatch.core.metrics.labels import LABEL_CHARS, Labels

_ENDING = ".prom"
_FILE = rf"^[/~][^\x00-\x1f\x7f]*\{_ENDING}$"
_LABEL, _TEXT = r"^[a-zA-Z][a-zA-Z0-9_]*$", r"^[^\x00-\x1f\x7f]+$"
_SHARD = "shard"
MEANT = {
    _LABEL: "a name of letters, digits and '_'",
    _TEXT: "text without control characters",
    _FILE: f"a path that begins with / or ~ and ends with {_ENDING}, as node_exporter reads no other",
}


Label = Annotated[str, msgspec.Meta(pattern=_LABEL, max_length=100)]
Text = Annotated[str, msgspec.Meta(pattern=_TEXT, max_length=LABEL_CHARS)]


class MetricsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where they are written, and where they are served."""

    textfile: Annotated[str, msgspec.Meta(pattern=_FILE, max_length=1000)] | None = None
    listen: Annotated[str, msgspec.Meta(max_length=1000)] | None = None
    labels: dict[Label, Text] = {}

    @property
    def any(self) -> bool:
        """Whether there are to be any."""
        return self.textfile is not None or self.listen is not None

    @property
    def address(self) -> Address | None:
        """Where to listen. Raises ValueError where that cannot be."""
        return address.parse(self.listen) if self.listen is not None else None

    def of_shard(self, shard: int | None) -> Labels:
        """What is on every series."""
        own = tuple(self.labels.items())
        return own if shard is None else (*own, (_SHARD, str(shard)))

    def path(self, shard: int | None) -> Path | None:
        """Where to write: of several watchers, each beside the others."""
        if self.textfile is None:
            return None
        path = Path(self.textfile).expanduser()
        return path if shard is None else path.with_name(f"{path.stem}.shard-{shard}{_ENDING}")


def check(settings: MetricsSettings, where: str) -> None:
    """Raise UsageError for an address that others could reach or that is none, or a label that is taken."""
    if settings.labels and (taken := sorted(_taken() & set(settings.labels))):
        raise UsageError(f"{where}: metrics.labels: '{taken[0]}' is a label of trainwatch's own")
    try:
        chosen = settings.address
    except ValueError as error:
        raise UsageError(f"{where}: metrics.listen: {error}") from error
    if chosen is not None and chosen.path:
        length = len(bytes(Path(chosen.path).expanduser()))
        if length > address.MOST_PATH_BYTES:
            raise UsageError(
                f"{where}: metrics.listen: the path has {length} bytes, and the kernel takes "
                f"{address.MOST_PATH_BYTES} for a socket; name a shorter one"
            )


def _taken() -> set[str]:
    from trainwatch.core.metrics.table import METRICS  # only where there are any

    return {_SHARD, *(label for metric in METRICS for label in metric.labels)}

"""[runs.public] and [runs.tensorboard]: what the watcher writes of a run for others. Both are off."""

from typing import Annotated

import msgspec

from trainwatch.core.model.public import UNNAMED, Shown

_SHOWN, _FOLDER = r"^[^\x00-\x1f\x7f]+$", r"^[/~][^\x00-\x1f\x7f]*$"
MEANT = {_SHOWN: "a name without control characters", _FOLDER: "a folder that begins with / or ~"}
_S_PER_MIN = 60.0


class PublicSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The public folder of a run. Whatever is shown, no text of logs, queues or people is."""

    enabled: bool = False
    name: Annotated[str, msgspec.Meta(pattern=_SHOWN, max_length=100)] | None = None
    every_min: Annotated[float, msgspec.Meta(ge=1, le=1440)] = 5.0
    show_loss: bool = True
    show_hardware: bool = True
    show_attempts: bool = True
    show_alerts: bool = True

    @property
    def shown(self) -> Shown:
        """What may be shown."""
        return Shown(
            name=self.name or UNNAMED,
            loss=self.show_loss,
            hardware=self.show_hardware,
            attempts=self.show_attempts,
            alerts=self.show_alerts,
        )

    @property
    def every_s(self) -> float:
        """Between two pages."""
        return self.every_min * _S_PER_MIN


class TensorBoardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Scalars go into a folder `trainwatch` below `dir`; none without it."""

    dir: Annotated[str, msgspec.Meta(pattern=_FOLDER, max_length=1000)] | None = None
    every_min: Annotated[float, msgspec.Meta(ge=0.5, le=1440)] = 1.0

    @property
    def every_s(self) -> float:
        """Between two points."""
        return self.every_min * _S_PER_MIN

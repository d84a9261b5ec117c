"""A source that knows other runs, too."""

from array import array

from msgspec.structs import replace

from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from trainwatch.core.model.snapshot import Other, Snapshot, Wanted


class TwoRuns(FixedSource):
    """`tr12` has a loss that is higher by one, and no clock; any other has no store."""

    def __init__(self) -> None:
        super().__init__(HEALTHY)
        self.said = ""

    def read(self, wanted: Wanted) -> Snapshot:
        seen = replace(super().read(wanted), others=("tr12", "tr13"))
        if not wanted.other:
            return seen
        if wanted.other != "tr12":
            trouble = f"'{wanted.other}' has no store to compare with"
            return replace(seen, other=Other(name=wanted.other, trouble=trouble))
        columns = {n: array("d", c) for n, c in seen.history.columns.items()}
        if "loss" in columns:
            columns["loss"] = array("d", [loss + 1 for loss in columns["loss"]])
        if "at_s" in columns:
            columns["at_s"] = array("d", [float("nan")] * len(columns["at_s"]))
        history = replace(seen.history, columns=columns)
        other = Other(name="tr12", status=seen.status, history=history, trouble=self.said)
        return replace(seen, other=other)

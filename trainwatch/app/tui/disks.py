"""The disks pane: how full each is in bytes and inodes, when it will be full, what would make room."""

from collections.abc import Callable

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.alerts import COLOURS
from trainwatch.app.tui.header import bar
from trainwatch.app.tui.rows import Rows, troubles_of
from trainwatch.app.tui.text import age, cut, filled, foreign, listed
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import DiskStatus

_NAME_MOST, _KIND, _SHARE, _OF = 22, 6, 8, 20  # columns
_BAR_LEAST, _BAR_MOST = 8, 60
_FAR_S = 366 * 86_400.0  # a rate measured over hours says nothing of years
_MOST_STRAYS = 3


class DisksPane(Rows):
    """Two bars for each disk, and what is to be said of it."""

    empty = 'no disk is watched: add a [[disks]] table with path = "/scratch/project"'

    def made(self, width: int) -> list[Content]:
        """See Rows."""
        snapshot = self.snapshot
        known = {disk.disk: disk for disk in snapshot.status.disks}
        troubles = troubles_of(snapshot, "disk")
        names = list(dict.fromkeys((*known, *snapshot.configured.disks, *troubles)))
        room = max((len(name) for name in names), default=0)
        rows = list[Content]()
        for name in names:
            shown = _Shown(snapshot, width, min(room, _NAME_MOST))
            rows += shown.disk(name, known.get(name), troubles.get(name, ""))
        return rows


class _Shown:
    """How a disk is shown: on which screen, with names so wide."""

    def __init__(self, snapshot: Snapshot, width: int, name_width: int) -> None:
        self.snapshot, self.width, self.name_width = snapshot, width, name_width

    def disk(self, name: str, known: DiskStatus | None, trouble: str) -> list[Content]:
        """Its rows."""
        if known is None:
            why = foreign(trouble or "was not asked yet", None, "$blind" if trouble else "$quiet")
            return [
                cut(
                    self._name(name) + (foreign("? ", None, "$blind") if trouble else "") + why,
                    self.width,
                )
            ]
        colour = self._colour(name, known.soft_until)
        by_bytes, by_inodes = colour, ""
        if known.runs_out == "inodes":
            by_bytes, by_inodes = "", colour
        rows = [self._bar(name, "bytes", known.bytes_total, known.bytes_free, _size, by_bytes)]
        if known.inodes_free is not None:
            free = known.inodes_free
            rows.append(self._bar("", "inodes", known.inodes_total, free, words.short, by_inodes))
        rows.append(self._note(listed(self._said(known, trouble, colour), self._rest)))
        strays = [foreign(stray, self._rest, "$warn") for stray in known.strays[:_MOST_STRAYS]]
        return [*rows, *(self._note(stray) for stray in strays)]

    @property
    def _rest(self) -> int:
        return max(1, self.width - self.name_width - 3)

    def _name(self, name: str) -> Content:
        return Content(" ") + filled(foreign(name, self.name_width, "bold"), self.name_width) + "  "

    def _note(self, told: Content) -> Content:
        return cut(Content(" " * (self.name_width + 3)) + told, self.width)

    def _colour(self, name: str, soft_until: float | None) -> str:
        """As bad as the alert on it that fires; over its soft limit it is a warning."""
        found = {
            a.severity
            for a in self.snapshot.status.alerts
            if (a.rule, a.key) == ("disk-full", name)
        }
        over = "$warn" if soft_until is not None else ""
        return next((colour for severity, colour in COLOURS.items() if severity in found), over)

    def _bar(
        self,
        name: str,
        kind: str,
        total: int | None,
        free: int | None,
        size: Callable[[float], str],
        colour: str,
    ) -> Content:
        row = self._name(name) + Content.styled(f"{kind:<{_KIND}}  ", "$quiet")
        if not total or free is None:
            text = f"{size(free)} free" if free is not None else "unknown"
            return cut(row + foreign(text), self.width)
        share = (total - free) / total
        room = self.width - row.cell_length - _SHARE - _OF - 3
        used = bar(share, max(_BAR_LEAST, min(_BAR_MOST, room)), colour or "$bar")
        told = Content.styled(f"{words.percent(share):>{_SHARE}}", f"bold {colour}".strip())
        of = f"  {size(total - free)} of {size(total)}"
        return cut(row + used + told + foreign(of, _OF), self.width)

    def _said(self, disk: DiskStatus, trouble: str, colour: str) -> list[Content]:
        """The most important first."""
        now, said = self.snapshot.taken_at, list[Content]()
        if trouble:
            said.append(foreign(f"? {trouble}", None, "bold $blind"))
        if disk.soft_until is not None:
            closed = (
                f"▲ over its soft limit, writes are refused from {words.when(disk.soft_until, now)}"
            )
            said.append(foreign(closed, None, "bold $warn"))
        if disk.soft_until is None or disk.runs_out in ("bytes", "inodes"):
            style = f"bold {colour}" if colour else ""
            said.append(foreign(_runway(disk, now), None, style))
        if disk.prunable_bytes is not None:
            said.append(foreign(f"pruning would free {_size(disk.prunable_bytes)}"))
        if disk.quota:
            said.append(foreign(f"quota: {disk.quota}", None, "$quiet"))
        said.append(foreign(f"asked {age(now - disk.at)} ago", None, "$quiet"))
        if disk.folder != disk.disk:
            said.append(foreign(disk.folder, None, "$quiet"))
        return said


def _runway(disk: DiskStatus, now: float) -> str:
    if disk.runway_s is None:
        return "not filling, as far as is known"
    if disk.runway_s > _FAR_S:
        return "lasts over a year"
    end = disk.at + disk.runway_s
    if end <= now:
        return "full by now, as it filled"
    what = f", by {disk.runs_out}" if disk.runs_out else ""
    return f"full in {age(end - now)}{what}, about {words.when(end, now)[:16]}"


def _size(size: float) -> str:
    return words.short(size, "B") if size else "0 B"

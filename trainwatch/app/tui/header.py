"""The first lines: is the run well, how do we know, what is it, how far is it."""

import math

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import age, cut, foreign, lines, listed, spread
from trainwatch.core.model.snapshot import Reading, Snapshot
from trainwatch.core.model.status import Status

# health -> sign, word, colour: told by sign and word, too, for those who see no colour
HEALTH = {
    "ok": ("●", "OK", "good"),
    "warning": ("▲", "WARNING", "warn"),
    "critical": ("✖", "CRITICAL", "bad"),
    "unknown": ("?", "UNKNOWN", "blind"),
}
_WATCHING = {
    "starting": "looking",
    "here": "watching",
    "elsewhere": "watched by another process",
    "nobody": "not watched",
    "memory": "watching, keeping nothing",
}
_PHASES = {
    "train": "training",
    "evaluate": "evaluating",
    "save": "saving",
    "load": "loading",
    "startup": "starting up",
    "exit": "ending",
    "unknown": "",
}
_PRECISIONS = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
_FAR_S = 60 * 86400.0  # from there on an end has a year, and no hour
_ONLY = " · read-only"
_MOST_LINES = 3  # of reasons and warnings


class Header(Panel):
    """Health, name, phase; reasons where it is not well; what the run is."""

    hangs = False  # reading takes longer than it may

    def __init__(self, *, read_only: bool = False) -> None:
        super().__init__()
        self._read_only = read_only

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on; that it came says that reading does not hang."""
        self.hangs = False
        super().show(snapshot)

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """Two lines, and one for each thing that is to be said."""
        status = snapshot.status
        remarks = _remarks(snapshot)
        if self.hangs:
            remarks.insert(
                0, ("what is shown is old: reading hangs; do the disks answer?", "blind")
            )
        said = [_line(text, colour, width) for text, colour in remarks]
        first = _first(snapshot, width, read_only=self._read_only)
        return lines([first, *said[:_MOST_LINES], what_it_is(status, width)])


class ProgressLine(Panel):
    """How far, and when it will be there. While a log is read for the first time, how far that is."""

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line."""
        if snapshot.reading is not None:
            return _reading(snapshot.reading, width)
        return _progress(snapshot.status, snapshot.taken_at, width)


def _first(snapshot: Snapshot, width: int, *, read_only: bool) -> Content:
    status = snapshot.status
    sign, word, colour = HEALTH.get(status.health, HEALTH["unknown"])
    badge = Content.styled(f" {sign} {word} ", f"bold $on-badge on ${colour}")
    phase = _phase(status, snapshot.taken_at)
    taken = badge.cell_length + len(status.run) + len(phase) + 5
    said = [f"  {text}{_ONLY if read_only else ''} " for text in _right(snapshot)]
    right = Content.styled(_fitting(said, width - taken), "$quiet")
    room = width - badge.cell_length - right.cell_length - len(phase) - 5
    name = foreign(status.run or "trainwatch", max(8, room), "bold")
    left = Content.assemble(badge, "  ", name, "  ", foreign(phase, None, f"${colour}"))
    return spread(left, right, width)


def _phase(status: Status, now: float) -> str:
    """What it does; how long already, where that should not take long."""
    phase = _PHASES.get(status.phase, status.phase)
    over = bool(status.attempts) and status.attempts[-1].end is not None
    if status.health == "unknown" or not phase or over:
        return ""
    if status.phase in ("train", "exit") or status.phase_since is None:
        return phase
    return f"{phase} for {age(now - status.phase_since)}"


def _right(snapshot: Snapshot) -> list[str]:
    """When the last iteration was, and who watches; where there is no room the less usual of both."""
    last, watching = snapshot.status.last_progress_at, _WATCHING[snapshot.watching]
    if last is None:
        return [watching]
    ago = f"iteration {age(snapshot.taken_at - last)} ago"
    return [f"{ago} · {watching}", ago if snapshot.watching == "here" else watching]


def _fitting(texts: list[str], room: int) -> str:
    """The first that there is room for, else the last."""
    return next((text for text in texts if len(text) <= room), texts[-1])


def _remarks(snapshot: Snapshot) -> list[tuple[str, str]]:
    """What is to be said beyond the badge, the worst first."""
    status, said = snapshot.status, []
    colour = HEALTH.get(status.health, HEALTH["unknown"])[2]
    plain = status.health == "ok" and status.reason in ("training", status.phase, "")
    if not plain:
        said.append((status.reason, colour))
    if snapshot.trouble:
        said.append((snapshot.trouble, "blind"))
    said += [(warning, "warn") for warning in status.warnings]
    return said


def _line(text: str, colour: str, width: int) -> Content:
    return cut(Content(" ") + foreign(text, width, f"${colour}"), width)


def what_it_is(status: Status, width: int) -> Content:
    """Size, framework, GPUs, how the model is split, batch, sequence length, precision."""
    size = words.short(status.parameters).replace("G", "B") if status.parameters else ""
    gpus = f"{status.gpus:,} {status.gpu_type or 'GPUs'}" if status.gpus else ""
    split = _named(
        ("TP", status.tensor_parallel),
        ("PP", status.pipeline_parallel),
        ("DP", status.data_parallel),
    )
    batch = _named(("MBS", status.micro_batch_size), ("GBS", status.global_batch_size))
    seq = f"seq {status.seq_length:,}" if status.seq_length else ""
    precision = _PRECISIONS.get(status.precision or "", status.precision or "")
    what = " ".join(part for part in (size, status.framework) if part)
    known = (what, gpus, split, batch, seq, precision)
    parts = [foreign(part, None, "$quiet") for part in known if part]
    if not parts:
        return _line("nothing is known of this run yet", "quiet", width)
    return cut(Content(" ") + listed(parts, max(0, width - 2)), width)


def _named(*pairs: tuple[str, float | None]) -> str:
    return " ".join(f"{name}{value:.0f}" for name, value in pairs if value is not None)


def _progress(status: Status, now: float, width: int) -> Content:
    target = f" / {status.target_iteration:,}" if status.target_iteration else ""
    done = f" {status.iteration:,}{target}" if status.iteration is not None else " no iteration yet"
    left = Content.assemble((done, "bold"), "  ")
    whole = f"  {_way_to_go(status, now)} "
    told = _fitting([whole, f"{whole.partition(' · ')[0]} "], width // 2)
    if status.progress is None or not math.isfinite(status.progress):
        return spread(left, foreign(told, max(0, width - left.cell_length), "$quiet"), width)
    right = foreign(told, width // 2, "$quiet")
    share = Content.styled(f" {words.percent(status.progress)}", "bold")
    room = width - left.cell_length - right.cell_length - share.cell_length
    return left + bar(status.progress, max(4, room)) + share + right


def _way_to_go(status: Status, now: float) -> str:
    if status.progress is not None and status.progress >= 1:
        return "all done"
    if status.eta_s is not None and math.isfinite(status.eta_s) and status.eta_s < 1e10:
        shape = "%a %d %b %H:%M" if status.eta_s < _FAR_S else "%d %b %Y"
        end = words.calendar(now + status.eta_s)
        at = f" · {end.strftime(shape)}" if end is not None else ""
        return f"{words.duration(status.eta_s)} to go{at}"
    return f"no ETA: {status.eta_unknown}" if status.eta_unknown else "no ETA"


def bar(share: float, width: int, style: str = "$bar") -> Content:
    """A progress bar that can be read without colours."""
    full = round(max(0.0, min(1.0, share)) * width)
    return Content.assemble(("━" * full, style), ("─" * (width - full), "$faint"))


def _reading(reading: Reading, width: int) -> Content:
    share = reading.done_bytes / reading.size_bytes if reading.size_bytes else 0.0
    rate = f"{words.short(reading.bytes_per_s, 'B')}/s" if reading.bytes_per_s else ""
    left_s = f"{words.duration(reading.left_s)} to go" if reading.left_s is not None else ""
    of = f"{words.short(reading.done_bytes, 'B')} of {words.short(reading.size_bytes, 'B')}"
    told = [" · ".join(filter(None, parts)) for parts in ((of, rate, left_s), (of, left_s), (of,))]
    left = Content.styled(" reading the log  ", "bold")
    said = _fitting([f"  {text} " for text in told], width - left.cell_length - 8)
    right = Content.assemble((f" {words.percent(share, 0)}", "bold"), (said, "$quiet"))
    room = width - left.cell_length - right.cell_length
    return cut(left + bar(share, max(4, room)) + right, width)

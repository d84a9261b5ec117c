"""What happened, and what the run is: two lists."""

from textual.content import Content

from trainwatch.app import processes, words
from trainwatch.app.tui.alerts import COLOURS
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import foreign
from trainwatch.app.words import when
from trainwatch.core.journal import severity_of
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import CheckpointStatus, Status

# kind of event -> what people call it, and its colour
_EVENTS = {
    "attempt-began": ("attempt began", "bold"),
    "saved": ("checkpoint saved", "$good"),
    "loaded": ("checkpoint loaded", ""),
    "fresh-weights": ("random weights", "$warn"),
    "validation": ("validation", "$trace-check"),
    "exit": ("exit", "$warn"),
    "ended": ("processes ended", "$warn"),
    "slurm": ("Slurm", "$warn"),
    "fault": ("fault", "bold $bad"),
    "config-changed": ("settings changed", ""),
    "config-refused": ("settings refused", "$warn"),
    "config-mended": ("settings mended", "$good"),
    "alert-firing": ("alert", "bold $warn"),
    "alert-resolved": ("alert is over", "$good"),
    "alert-repeated": ("alert goes on", "$warn"),
}
_LEFT_OUT = frozenset({"save-started"})  # the save itself follows
_SOURCES = {
    "log": "as the log says",
    "config": "as configured",
    "derived": "computed from the others",
}


class Events(Listing):
    """The journal, the newest first."""

    empty = "nothing happened yet that is worth a line"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._events: list[Event] = []

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on; the picked event stays picked as others come."""
        if snapshot.events is not self.snapshot.events:
            picked = self._events[self.at] if 0 < self.at < len(self._events) else None
            self._events = [e for e in reversed(snapshot.events) if e.kind not in _LEFT_OUT]
            self.at = next((n for n, e in enumerate(self._events) if e is picked), self.at)
        super().show(snapshot)

    def count(self) -> int:
        """Events there are."""
        return len(self._events)

    def row(self, index: int, width: int) -> Content:
        """Time, what, iteration, and what the log says."""
        event = self._events[index]
        name, style = _EVENTS.get(event.kind, (event.kind, ""))
        if event.kind == "alert-firing":
            style = f"bold {COLOURS.get(severity_of(event), '$warn')}"
        iteration = f"{event.iteration:,}" if event.iteration is not None else ""
        row = Content.assemble(
            (f" {when(event.at, self.snapshot.taken_at):<17}", "$quiet"),
            foreign(f"{name:<17}", 17, style),
            f"{iteration:>10}  ",
        )
        return row + foreign(_said(event), max(1, width - row.cell_length))

    def place(self, index: int) -> int | None:
        """Where the log tells it."""
        return self._events[index].offset


def _said(event: Event) -> str:
    values = " ".join(f"{name} {words.number(value)}" for name, value in event.values.items())
    return " ".join(part for part in (event.text, values) if part)


class About(Listing):
    """What the run is, and how each of that is known."""

    def count(self) -> int:
        """Facts there are."""
        return len(_facts(self.snapshot.status))

    def row(self, index: int, width: int) -> Content:
        """One fact."""
        name, value, source = _facts(self.snapshot.status)[index]
        row = Content.assemble((f" {name:<18}", "$quiet"))
        told = Content.styled(f"  {source}" if source else "", "$quiet")
        return row + foreign(value, max(1, width - 19 - told.cell_length)) + told


def _facts(status: Status) -> list[tuple[str, str, str]]:
    """Name, value, source of what is known."""
    precise = {True: "exact formula", False: "quick formula"}
    known: list[tuple[str, str | None, str]] = [
        ("log", status.log, ""),
        ("log size", f"{words.short(status.log_bytes, 'B')}" if status.log_bytes else None, ""),
        ("framework", status.framework, "framework"),
        ("parameters", _billions(status.parameters), "parameters"),
        ("GPUs", _whole(status.gpus), "gpus"),
        ("GPU", status.gpu_type, "gpu_type"),
        (
            "peak",
            f"{status.peak_tflops:g} TFLOPs/GPU" if status.peak_tflops else None,
            "peak_tflops",
        ),
        ("nodes", _whole(status.nodes), "nodes"),
        ("tensor parallel", _whole(status.tensor_parallel), "tensor_parallel"),
        ("pipeline parallel", _whole(status.pipeline_parallel), "pipeline_parallel"),
        ("data parallel", _whole(status.data_parallel), "data_parallel"),
        ("micro batch", _whole(status.micro_batch_size), "micro_batch_size"),
        ("global batch", _whole(status.global_batch_size), "global_batch_size"),
        ("sequence length", _whole(status.seq_length), "seq_length"),
        ("precision", status.precision, "precision"),
        ("target", _whole(status.target_iteration), "target_iteration"),
        ("saves every", _whole(status.save_interval), "save_interval"),
        ("checkpoints", status.checkpoint.path if status.checkpoint else None, ""),
        ("a save takes", _took(status.checkpoint), ""),
        (
            "TFLOPs",
            precise.get(status.tflops_exact) if status.tflops_exact is not None else None,
            "tflops",
        ),
        ("processes", processes.line(status.processes) or None, ""),
        ("skipped", _whole(status.skipped_iterations) if status.skipped_iterations else None, ""),
        ("torn lines", _whole(status.torn_lines) if status.torn_lines else None, ""),
    ]
    sources = status.sources
    return [(n, v, _SOURCES.get(sources.get(key, ""), "")) for n, v, key in known if v]


def _took(saved: CheckpointStatus | None) -> str | None:
    return words.duration(saved.duration_s) if saved and saved.duration_s else None


def _whole(value: float | None) -> str | None:
    return None if value is None else words.number(value)


def _billions(value: float | None) -> str | None:
    return None if value is None else words.short(value).replace("G", "B")

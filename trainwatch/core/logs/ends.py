"""How an attempt ends by itself or by Slurm: `[exiting program ...]`, `*** JOB 1 ON n CANCELLED AT ...`.

JOB and STEP notices of several nodes are written into one another; each one that can be read counts.
"""

from collections.abc import Iterator
from typing import Literal

from trainwatch.core.logs import text
from trainwatch.core.logs.format import Format, Line
from trainwatch.core.model.records import Exit, Fault, Record, SlurmNotice, Torn
from trainwatch.core.patterns import pattern

Why = Literal["cancelled", "time-limit", "preempted", "node-failure", "out-of-memory"]

_AFTER = pattern(r"exiting program after ([\d.]+) minutes")
_AT = pattern(r"exiting program at iteration (\d{1,15})")
_SIGNAL = pattern(r"exiting program after receiving (SIG\w+)")
_NOTICE = pattern(
    r"\*\*\* (?P<kind>JOB|STEP) (?P<job>\d+)(?:[._+]\S+)? ON (?P<node>[\w.-]+) CANCELLED"
    r"(?: AT (?P<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)"
    r"(?: DUE (?:TO|to) (?:(?P<why>TIME LIMIT|PREEMPTION|NODE FAILURE|JOB REQUEUE)|[^*]{1,80}))? ?"
    r"(?P<end>\*\*\*|, SEE))?"
)
_REASONS: dict[str, Why] = {
    "TIME LIMIT": "time-limit",
    "PREEMPTION": "preempted",
    "JOB REQUEUE": "preempted",
    "NODE FAILURE": "node-failure",
}
_OOM = pattern(r"Detected \d+ oom[-_]kill event(?:s|\(s\))? in (?:StepId=|step )(\d+)")
_NODE_FAILURE = pattern(r"srun: error: Node failure on ([\w.-]+)")


def _exits(line: Line) -> Iterator[Record]:
    found = _exit(line.text)
    if found is not None:
        stamp = text.stamp(line.text)
        yield Exit(
            format="megatron",
            stamp=stamp,
            how=found[0],
            why=found[1],
            iteration=found[2],
            after_min=found[3],
        )


def _exit(
    line: str,
) -> tuple[Literal["completed", "exited"], str, int | None, float | None] | None:
    if found := _AFTER.search(line):
        return "exited", "exit duration reached", None, text.number(found[1])
    if found := _AT.search(line):
        return "exited", "exit interval reached", int(found[1]), None
    if found := _SIGNAL.search(line):
        return "exited", f"received {found[1]}", None, None
    if "Detected kill switch at" in line and "Exiting" in line:
        return "exited", "kill switch", None, None
    if "[after training is done]" in line:
        return "completed", "training is done", None, None
    if "Training completed. Do not forget to share your model" in line:
        return "completed", "training completed", None, None
    return None


def _slurm(line: Line) -> Iterator[Record]:
    for notice in _NOTICE.finditer(line.text):
        if not notice["end"]:  # cut off before its reason: nobody says that it was a scancel
            yield Torn(format="slurm")
            continue
        yield SlurmNotice(
            format="slurm",
            stamp=text.stamp(notice["at"]),
            job_id=notice["job"],
            why=_REASONS.get(notice["why"] or "", "cancelled"),
            step=notice["kind"] == "STEP",
            node=notice["node"],
        )
    if found := _OOM.search(line.text):
        yield SlurmNotice(format="slurm", job_id=found[1], why="out-of-memory", step=True)
    if found := _NODE_FAILURE.search(line.text):
        yield Fault(
            format="slurm", kind="node-failure", role="cause", node=found[1], text=line.text.strip()
        )


EXITS = Format(
    name="exits",
    needles=(
        b"exiting program a",
        b"Detected kill switch",
        b"[after training is done",
        b"Training completed",
    ),
    parse=_exits,
    group="exits",
)
SLURM = Format(
    name="slurm",
    needles=(b"CANCELLED", b"kill event", b"Node failure on"),
    parse=_slurm,
    group="slurm",
)

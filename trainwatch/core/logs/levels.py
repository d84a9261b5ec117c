"""What a line is to its reader: an error, a warning, progress, noise of a known kind, or none of these.

The trap: it is asked of thousands of lines while somebody waits. Words are looked for first, a pattern only
confirms; and no pattern repeats a repetition, as a line may be 16 KB of anything.
"""

import re
from typing import Literal, NamedTuple

from trainwatch.core.patterns import pattern

Level = Literal["error", "warning", "progress", "noise", ""]

LOOKED_AT = 4096  # characters of a line


class Told(NamedTuple):
    """A line's level, and what noise is called."""

    level: Level
    noise: str = ""


_TABLE: tuple[tuple[Level, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "error",
        (
            "error", "traceback", "exception", "fatal", "nan", "out of memory", "cancelled", "kill", "abort",
            "watchdog caught", "node failure", "segmentation fault", "terminate called", "[e",
            "quota exceeded", "no space left", 'file "',
        ),
        pattern(
            r"(?<![a-z]_)(?<!no )(?<!\b0 )errors?(?!_|[ .]*(?:handling|=|\.{3}))|traceback \(most"
            r"|[:=]\s{0,9}nan\b|result nan|(?<!_)exception(?!_)|\bfatal\b|out of memory|\bcancelled\b"
            r"|\b(?:oom-)?kill(?:ed| event)|\babort(?:ed|ing)?\b|watchdog caught|node failure"
            r"|segmentation fault|terminate called|\[e\d{4} |quota exceeded|no space left"
            r"|^\W{0,9}(?:\[\w{1,12}\]:)?\s{0,9}file \"[^\"]{1,300}\", line"
        ),
    ),
    (
        "warning",
        ("warn", "timed out", "overflow", "skipping", "preempt", "[w", "deprecat", "xid", "sigterm"),
        pattern(r"warn(?!up)|timed out|overflow|skipping|preempt|\[w\d{4} |deprecat|\bxid\b|sigterm"),
    ),
    (
        "progress",
        ("iteration", "step", "loss", "checkpoint", "epoch", "mllog", "trl:", "throughput/"),
        pattern(r"\b(?:iteration|steps?|checkpoint|epoch|trl|mllog)\b|loss(?!_scal)|throughput/"),
    ),
)  # fmt: skip
_NOISE: tuple[tuple[str, str, re.Pattern[str] | None], ...] = (
    ("NCCL INFO", " nccl info ", None),
    ("progress bars", "%|", pattern(r"\d%\|")),
    ("memory use", "see_memory_usage", None),
    ("tokenizers", "huggingface/tokenizers:", None),
    ("forks", "process just got forked", None),
    ("OMP_NUM_THREADS", "omp_num_threads", None),
    ("Gloo", "[gloo] ", None),
    ("UCX INFO", " ucx  info ", None),
    ("C++ INFO", "[i", pattern(r"\[i\d{4} \d\d:")),
    ("shell trace", "+", pattern(r"^\+{1,9} ")),
    ("building extensions", "extension module", pattern(r"(?:building|loading) extension module")),
)
BARS = "progress bars"


def told(text: str) -> Told:
    """Of a line's clean text. The table is read from top to bottom, the first wins."""
    lower = text[:LOOKED_AT].lower()
    for level, words, confirms in _TABLE:
        if any(word in lower for word in words) and confirms.search(lower):
            return Told(level)
    for name, word, known in _NOISE:
        if word in lower and (known is None or known.search(lower)):
            return Told("noise", name)
    return Told("")

"""Slurm's own crontab: our lines in it, between two marks, and nobody else's touched.

Written from Slurm's manual and held by literal text only: Debian's packages have no `scrontab`.
"""

import re
import shlex
from collections.abc import Sequence

from trainwatch.core.slurm.submitting import Submission, argv

LIST, NONE = ("scrontab", "-l"), re.compile(r"no crontab", re.IGNORECASE)
_BEGIN, _END = "# >>> {name} >>>", "# <<< {name} <<<"
_OF_THE_CHAIN = ("sbatch", "--parsable", "--no-requeue")  # Slurm requeues what it starts again


def schedule(interval_min: float) -> str | None:
    """The five fields for each so many minutes; None for what they cannot say."""
    minutes = round(interval_min)
    if minutes != interval_min:
        return None
    if minutes < 60 and 60 % minutes == 0:
        return f"*/{minutes} * * * *"
    hours = minutes // 60
    if minutes % 60 == 0 and 24 % hours == 0:
        return f"0 */{hours} * * *" if hours < 24 else "0 0 * * *"
    return None


def entry(name: str, job: Submission, command: Sequence[str], interval_min: float) -> str | None:
    """Our lines; None where they cannot say what is wanted."""
    when, line = schedule(interval_min), shlex.join(command)
    if when is None or re.search(r"[%\n]", line):
        return None
    options = [f"#SCRON {shlex.quote(each)}" for each in argv(job) if each not in _OF_THE_CHAIN]
    return "\n".join([_BEGIN.format(name=name), *options, f"{when} {line}", _END.format(name=name)])


def changed(table: str, name: str, lines: str | None) -> str:
    """The table with our lines in the place of what we had there; without them for None."""
    begin, end = (re.escape(mark.format(name=name)) for mark in (_BEGIN, _END))
    kept = re.sub(rf"^{begin}\n.*?^{end}\n?", "", table, flags=re.DOTALL | re.MULTILINE)
    if lines is None:
        return kept
    return f"{kept.rstrip()}\n{lines}\n".lstrip("\n")

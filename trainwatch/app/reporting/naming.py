"""What a log's file name tells of it, by a template (`{model_size_b}B-mbs-{mbs}.out`) or a regex."""

import re
from typing import NamedTuple

from trainwatch.core.errors import UsageError
from trainwatch.core.facts import Value

_WHOLE, _NUMBER, _TEXT = r"\d+", r"\d+(?:\.\d+)?", r"[^/]+?"
# key in a pattern -> (fact of core/facts.py, what it looks like)
KEYS: dict[str, tuple[str, str]] = {
    "model_size_b": ("parameters", _NUMBER),
    "gpus": ("gpus", _WHOLE),
    "nodes": ("nodes", _WHOLE),
    "gpus_per_node": ("gpus_per_node", _WHOLE),
    "tp": ("tensor_parallel", _WHOLE),
    "pp": ("pipeline_parallel", _WHOLE),
    "dp": ("data_parallel", _WHOLE),
    "mbs": ("micro_batch_size", _WHOLE),
    "gbs": ("global_batch_size", _WHOLE),
    "gas": ("accumulation", _WHOLE),
    "seq_length": ("seq_length", _WHOLE),
    "gpu_type": ("gpu_type", _TEXT),
    "job_id": ("job_id", r"\d+(?:_\d+)?"),
}
_PART = re.compile(r"\{(\w*)\}|(\*)")
# Slurm's own way: the job's number before `.out`.
_JOB_ID = re.compile(r"(?:^|[-_.])(\d{4,12}(?:_\d+)?)\.(?:out|err)$")
_DATE = re.compile(r"20\d\d[01]\d[0-3]\d")


class Pattern(NamedTuple):
    """How names are read."""

    regex: re.Pattern[str]
    whole: bool  # it must match the whole name


def pattern(text: str) -> Pattern:
    """A template, or a regex if it has named groups. Raises UsageError."""
    try:
        if "(?P<" in text:
            found = Pattern(re.compile(text), whole=False)
        else:
            found = Pattern(re.compile(_of_template(text)), whole=True)
    except re.error as error:
        raise UsageError(f"--name-pattern {text!r}: {error}") from error
    for key in found.regex.groupindex:
        if key not in KEYS:
            raise UsageError(
                f"--name-pattern {text!r}: unknown name {key!r}; known are {', '.join(KEYS)}"
            )
    if not found.regex.groupindex:
        raise UsageError(f"--name-pattern {text!r} names nothing; e.g. '*-mbs-{{mbs}}-*.out'")
    return found


def read(name: str, how: Pattern | None) -> dict[str, Value]:
    """The facts that a file's name tells; without a pattern the job's number alone.

    Raises UsageError where a regex of the user's takes words for a number.
    """
    told: dict[str, Value] = {}
    if (job := _JOB_ID.search(name)) and not _DATE.fullmatch(job[1]):
        told["job_id"] = job[1]
    if how is None:
        return told
    found = how.regex.fullmatch(name) if how.whole else how.regex.search(name)
    for key, value in found.groupdict().items() if found else ():
        if value is not None:
            told[KEYS[key][0]] = _value(key, value)
    return told


def matches(name: str, how: Pattern) -> bool:
    """Whether the pattern says something of this name."""
    return bool(how.regex.fullmatch(name) if how.whole else how.regex.search(name))


def _value(key: str, value: str) -> Value:
    shape = KEYS[key][1]
    if shape is not _TEXT and not (value.isascii() and re.fullmatch(shape, value)):
        raise UsageError(
            f"--name-pattern takes {value!r} for {key}; expected a number: write (?P<{key}>{shape})"
        )
    if key == "model_size_b":
        return float(value) * 1e9
    return int(value) if shape is _WHOLE else value


def _of_template(text: str) -> str:
    regex, end = "", 0
    for part in _PART.finditer(text):
        regex += re.escape(text[end : part.start()])
        regex += ".*?" if part[2] else f"(?P<{part[1]}>{KEYS.get(part[1], ('', _TEXT))[1]})"
        end = part.end()
    return regex + re.escape(text[end:])

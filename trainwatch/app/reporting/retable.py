"""The TFLOPs column of a Markdown table, computed anew from each row's own columns (quick formula).

Everything else of the file stays as it is, byte for byte. A row that cannot be computed stays, too, and is
named. The trap: `\\|` does not end a cell, and a table inside a code fence is a paste, not a table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from trainwatch.app.amounts import amount
from trainwatch.core.errors import UsageError
from trainwatch.core.formulas import tflops_quick

_NAMES: Mapping[str, str] = {
    "GPUs": "gpus|gpu|# ?gpus|n_?gpus|num gpus",
    "Nodes": "nodes|# ?nodes",
    "Size": "size|model size|model|msize|params|parameters",
    "TP": "tp|mp",
    "PP": "pp",
    "DP": "dp",
    "MBS": "mbs|micro batch size",
    "GAS": "gas",
    "GBS": "gbs|global batch size",
    "Seq": r"seq|seq\.? ?len(?:gth)?|seqlen|sequence length|sl",
    "Sec/it": r"(?:s|secs?|seconds?) ?/ ?it(?:er(?:ation)?)?|step time(?: \(s\))?",
    "AC": "ac|recompute|activation checkpointing",
    "TFLOPs": "tflops?(?: ?/ ?gpu| per gpu)?|tflop/s",
}
_HEADS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _NAMES.items()}
_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_FOOTNOTE = re.compile(r"[\d.,\s]*([*^†‡]*)\s*")


class Left(NamedTuple):
    """A row that stayed as it is: its line (from 1), and why."""

    line: int
    why: str


class Retabled(NamedTuple):
    """The new text, how many rows were computed, and those that were not."""

    text: str
    computed: int
    left: list[Left]


class Given(NamedTuple):
    """What the table may not say. `recompute`: activations are computed again (k 4, else 3)."""

    seq_length: int | None = None
    gpus_per_node: int | None = None
    recompute: bool = True


class _Cannot(Exception):
    """A row lacks something; the message says what."""


class _Table(NamedTuple):
    columns: dict[str, int]  # our name -> place
    right: bool  # the TFLOPs column is aligned to the right


def retabled(text: str, given: Given) -> Retabled:
    """The text with the TFLOPs columns of its tables computed. Raises UsageError if it has none."""
    lines = re.split(r"(?<=\n)", text)
    computed, left, tables = 0, list[Left](), 0
    for number, table in _tables(lines):
        tables += 1
        for index in range(number + 2, len(lines)):
            if not _PIPE.search(lines[index]):
                break
            try:
                lines[index] = _row(lines[index], table, given)
                computed += 1
            except _Cannot as error:
                if lines[index].strip(" |\t\r\n"):
                    left.append(Left(index + 1, str(error)))
    if not tables:
        raise UsageError("there is no Markdown table with a TFLOPs column in it")
    return Retabled("".join(lines), computed, left)


def _tables(lines: Sequence[str]) -> Iterator[tuple[int, _Table]]:
    """Where tables with a TFLOPs column begin, outside of code fences."""
    fence = ""
    for index, line in enumerate(lines[:-1]):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        elif not fence and _PIPE.search(line) and _RULE.fullmatch(lines[index + 1].rstrip("\r\n")):
            heads, rules = _cells(line), _cells(lines[index + 1])
            columns = _columns([line[a:b] for a, b in heads])
            if "TFLOPs" in columns and len(heads) == len(rules):
                a, b = rules[columns["TFLOPs"]]
                yield index, _Table(columns, lines[index + 1][a:b].rstrip().endswith(":"))


def _columns(heads: Sequence[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for place, head in enumerate(heads):
        for name, pattern in _HEADS.items():
            if pattern.fullmatch(_bare(head)):
                columns.setdefault(name, place)
    return columns


def _cells(line: str) -> list[tuple[int, int]]:
    """Where the cells of a line are, between its pipes."""
    whole = line.rstrip()
    pipes = [pipe.start() for pipe in _PIPE.finditer(whole)]
    edges = pipes if whole.lstrip().startswith("|") else [-1, *pipes]
    if not pipes or pipes[-1] != len(whole) - 1:
        edges = [*edges, len(whole)]
    return [(a + 1, b) for a, b in pairwise(edges)]


def _row(line: str, table: _Table, given: Given) -> str:
    cells = _cells(line)
    place = table.columns["TFLOPs"]
    if place >= len(cells):
        raise _Cannot("it has fewer cells than the table's head")
    texts = {name: line[slice(*cells[at])] for name, at in table.columns.items() if at < len(cells)}
    value = _tflops(texts, given)
    start, end = cells[place]
    return line[:start] + _refilled(line[start:end], f"{value:.2f}", table.right) + line[end:]


def _tflops(cells: Mapping[str, str], given: Given) -> float:
    seq = _number(cells, "Seq") if "Seq" in cells else given.seq_length
    if seq is None:
        raise _Cannot("no sequence length: the table has no Seq column, give --seq-length")
    step_time_s, gpus = _number(cells, "Sec/it"), _gpus(cells, given)
    value = tflops_quick(
        _size(cells), round(seq), _batch(cells), step_time_s, round(gpus), _recompute(cells, given)
    )
    if value is None:
        raise _Cannot("Sec/it and GPUs must be greater than zero")
    return value


def _gpus(cells: Mapping[str, str], given: Given) -> float:
    if "GPUs" in cells:
        return _number(cells, "GPUs")
    if given.gpus_per_node is not None and "Nodes" in cells:
        return _number(cells, "Nodes") * given.gpus_per_node
    if {"TP", "PP", "DP"} <= cells.keys():
        return _number(cells, "TP") * _number(cells, "PP") * _number(cells, "DP")
    raise _Cannot("no GPUs: the table has no GPUs column, nor Nodes with --gpus-per-node")


def _batch(cells: Mapping[str, str]) -> float:
    if "GBS" in cells:
        return _number(cells, "GBS")
    if {"MBS", "DP", "GAS"} <= cells.keys():
        return _number(cells, "MBS") * _number(cells, "DP") * _number(cells, "GAS")
    raise _Cannot("no GBS: the table has no such column")


def _size(cells: Mapping[str, str]) -> float:
    size = _number(cells, "Size")
    return size if _bare(cells["Size"])[-1:].isalpha() else size * 1e9


def _recompute(cells: Mapping[str, str], given: Given) -> bool:
    said = _bare(cells.get("AC", "")).lower()
    return {"yes": True, "no": False, "true": True, "false": False}.get(said, given.recompute)


def _number(cells: Mapping[str, str], name: str) -> float:
    if name not in cells:
        raise _Cannot(f"no {name}: the table has no such column")
    text = _bare(cells[name])
    value = amount(text.removesuffix("s") if name == "Sec/it" else text)
    if value is None:
        raise _Cannot(f"no number in {name}: {text!r}")
    return value


def _bare(cell: str) -> str:
    """A cell's text without emphasis."""
    return cell.strip().strip("*_`~").strip()


def _refilled(old: str, text: str, right: bool) -> str:
    """The cell with another number, as wide as before where that is possible."""
    footnote = _FOOTNOTE.fullmatch(old)
    text += footnote[1] if footnote else ""
    if old.strip() == text:
        return old
    core = old.strip()
    if not core:
        return f" {text.rjust(len(old) - 2) if right else text.ljust(len(old) - 2)} "
    lead, tail = (len(side) for side in old.split(core, 1))
    blanks = len(old) - len(text)
    if right:
        tail = min(tail, max(blanks - min(lead, 1), min(tail, 1)))
        return " " * max(blanks - tail, min(lead, 1)) + text + " " * tail
    lead = min(lead, max(blanks - min(tail, 1), min(lead, 1)))
    return " " * lead + text + " " * max(blanks - lead, min(tail, 1))

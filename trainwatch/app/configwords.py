"""What is wrong with a configuration, in the words of TOML: file, line, key, what was expected.

Nothing here knows what trainwatch is configured with: structs say it.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from trainwatch.core.errors import UsageError


def known_keys(table: dict[str, Any], kind: type, at: str, text: str, where: str) -> None:
    """Raise for the first key that the struct does not have, with the nearest that it has."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in table.items():
        if key not in fields:
            import difflib

            near = difflib.get_close_matches(key, fields, n=1, cutoff=0.5)
            hint = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(fields)}."
            raise UsageError(f"{_place(where, text, key)}: unknown key '{at}{key}'. {hint}")
        for inner, inner_at, inner_kind in _inner(key, value, fields[key], at):
            known_keys(inner, inner_kind, inner_at, text, where)


def _inner(key: str, value: object, kind: Any, at: str) -> list[tuple[dict[str, Any], str, type]]:
    """The tables inside a value, with the struct that each must be."""
    structs = [k for k in (kind, *get_args(kind)) if _is_struct(k)]
    if not structs:
        return []
    if isinstance(value, list):
        tables = [(v, f"{at}{key}[{n}].") for n, v in enumerate(value) if isinstance(v, dict)]
        return [(v, place, structs[0]) for v, place in tables]
    if not isinstance(value, dict):
        return []
    if kind is structs[0]:
        return [(value, f"{at}{key}.", kind)]
    named = [(v, f"{at}{key}.{name}.") for name, v in value.items() if isinstance(v, dict)]
    return [(v, place, structs[0]) for v, place in named]


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def explained(message: str, text: str, where: str, meant: Mapping[str, str]) -> str:
    """msgspec's message with the key in front and the line; `meant` says what patterns are for."""
    problem, _, place = message.partition(" - at `$")
    key = place.rstrip("`").lstrip(".") or "the file"
    words = {
        "int": "whole number",
        "float": "number",
        "str": "text",
        "bool": "true or false",
        "array": "list",
    }
    for pattern, words_for_it in meant.items():
        problem = problem.replace(f"`str` matching regex {pattern!r}", words_for_it)
    for name, word in words.items():
        problem = re.sub(rf"`{name}(?: \| null)?`", word, problem)
    problem = problem.replace("Object", "this table").replace("`", "'")
    last = next(
        (k for k in reversed(re.split(r"[.\[\]]+", key)) if k and not k.isdigit() and k != "..."),
        "",
    )
    return f"{_place(where, text, last)}: {key}: {problem[:1].lower()}{problem[1:]}"


def _place(where: str, text: str, key: str) -> str:
    """`file line N` of a key that stands in one place only, else `file`."""
    pattern = re.compile(rf"^\s*(?:\[+[^\]]*\b)?{re.escape(key)}\b\s*[\]=.]")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if pattern.match(line)]
    return f"{where} line {lines[0]}" if len(lines) == 1 else where

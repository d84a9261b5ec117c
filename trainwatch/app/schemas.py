"""JSON Schemas of what other programs read, made from the very types that are written.

The trap: a type says what may be left out when it is read; a schema says what is always there when it was
written. So what is always written is required here, though it has a default in the type.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec

from trainwatch.app import recording, replaying
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.public import PublicStatus
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status
from trainwatch.core.rows import ReportRow

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/"
Json = dict[str, Any]


class Schema(NamedTuple):
    """What is described, in words, and how the schema is made."""

    title: str
    about: str
    make: Callable[[], tuple[Json, Json]]  # the value itself, and what it refers to, by name


def text(name: str) -> str:
    """The schema of that name, as it stands in its file. Raises KeyError."""
    chosen = SCHEMAS[name]
    value, found = chosen.make()
    described = {"$schema": _DIALECT, "title": chosen.title, "description": chosen.about, **value}
    reached = dict(sorted(_reached(value, found).items()))
    whole = {**described, "$defs": reached} if reached else described
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def _status() -> tuple[Json, Json]:
    found = _written(Status)
    found["Status"]["properties"]["book"] = {"type": "null", "description": "reserved"}
    one = _ref("Status")
    return {"anyOf": [one, {"type": "array", "items": one}]}, found


def _public() -> tuple[Json, Json]:
    one = _ref("PublicStatus")
    return {"anyOf": [one, {"type": "array", "items": one}]}, _written(PublicStatus)


def _report() -> tuple[Json, Json]:
    return {"type": "array", "items": _ref("ReportRow")}, _written(ReportRow)


def _replay() -> tuple[Json, Json]:
    """An event, a change of an alert, or the state at the end: a line each."""
    found = _written(Event, Change) | _status()[1]
    version = {"schema_version": {"const": replaying.SCHEMA_VERSION}}
    _add(found["Event"], {"run": {"type": "string"}, **version})
    _add(found["Change"], version)
    state: Json = {"title": "State", "description": "The last line.", "type": "object"}
    at, status = {"type": "number"}, _ref("Status")
    _add(state, {"kind": {"const": "state"}, "at": at, "status": status, **version})
    return {"anyOf": [_ref("Event"), _ref("Change"), _ref("State")]}, {**found, "State": state}


def _recording() -> tuple[Json, Json]:
    """Read as well as written, by many: only the time is required of a line."""
    lines, found = _read(recording.RecordingLine), _read(*recording.KINDS.values())
    for name, kind in recording.KINDS.items():
        lines["RecordingLine"]["properties"][name] = _ref(kind.__name__)
        body = found[kind.__name__]
        del body["properties"]["at"]  # that of the line
        body["required"] = [key for key in body["required"] if key != "at"]
    line = lines.pop("RecordingLine")
    line["properties"]["schema_version"] = {"const": recording.SCHEMA_VERSION}
    line["properties"]["log"] = _ref(recording.LogLine.__name__)
    return {key: line[key] for key in ("type", "properties", "required")}, lines | found


SCHEMAS = {
    "status": Schema(
        "trainwatch status --json",
        "A run, or a list of runs. Unknown is null, units are in the names, times are s since the epoch.",
        _status,
    ),
    "public": Schema(
        "trainwatch status --public",
        "What outsiders may know of a run, or of several. Unknown, or not shown, is null.",
        _public,
    ),
    "report": Schema("trainwatch report --format json", "An object a log.", _report),
    "replay": Schema("trainwatch replay --json", "One line: what happened, or the end.", _replay),
    "recording": Schema(
        "trainwatch watch --record",
        "One line: a time, and what was observed then. What is not there is unknown; other keys are ignored.",
        _recording,
    ),
}


def _written(*types: type[msgspec.Struct]) -> Json:
    """What the types refer to, by name, as it is written: with all that is never left out."""
    found = _read(*types)
    always = {
        struct.__name__: not struct.__struct_config__.omit_defaults for struct in _structs(types)
    }
    for name, component in found.items():
        properties = component["properties"]
        if "schema_version" in properties:
            properties["schema_version"] = {"const": properties["schema_version"]["default"]}
        if always[name]:
            component["required"] = list(properties)
            for field in properties.values():
                field.pop("default", None)
    return found


def _read(*types: type[msgspec.Struct]) -> Json:
    """The same, as it is read."""
    _, found = msgspec.json.schema_components(types, ref_template=_REF + "{name}")
    for component in found.values():
        component["description"] = " ".join(component.get("description", "").split())
        component["properties"] = {k: _short(v) for k, v in component["properties"].items()}
    return dict(found)


def _short(field: Json) -> Json:
    """A number or null said in one line; and among many numbers any may be a NaN, which is null."""
    kinds = [each.get("type") for each in field.get("anyOf", ()) if each.keys() == {"type"}]
    if kinds and len(kinds) == len(field["anyOf"]):
        field = {"type": kinds, **{k: v for k, v in field.items() if k != "anyOf"}}
    if field.get("additionalProperties") == {"type": "number"}:
        field = {**field, "additionalProperties": {"type": ["number", "null"]}}
    return field


def _structs(kinds: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """All that the types are made of."""
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield kind
            yield from _structs(get_type_hints(kind).values())
        else:
            yield from _structs(get_args(kind))


def _add(component: Json, properties: Json) -> None:
    """Further properties, which are always there."""
    component["properties"] = {**component.get("properties", {}), **properties}
    component["required"] = [*component.get("required", ()), *properties]


def _reached(value: Any, found: Json) -> Json:
    """Of all that was found what the value refers to, directly or not."""
    reached: Json = {}
    waiting = list(_refs(value))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = found[name]
            waiting += _refs(found[name])
    return reached


def _refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix(_REF)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _refs(each)


def _ref(name: str) -> Json:
    return {"$ref": _REF + name}

"""What can be configured: every table and key, from the structs that a configuration is read into."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from trainwatch.app.config import Settings

NAME = "NAME"  # stands for what users call a table
Path = tuple[str, ...]
Struct = type[msgspec.Struct]


class Key(NamedTuple):
    """A key of a table. `owner` is the struct that has it first: others may inherit it."""

    name: str
    type: inspect.Type
    default: object  # None: none
    required: bool
    owner: Struct


class Table(NamedTuple):
    """A table of the configuration."""

    path: Path  # () is the top of the file
    many: bool  # written with two brackets, as often as one likes
    struct: Struct
    keys: tuple[Key, ...]

    @property
    def header(self) -> str:
        """As it stands in a file."""
        name = ".".join(self.path)
        return f"[[{name}]]" if self.many else f"[{name}]"


@cache
def tables() -> dict[Path, Table]:
    """All of them, by path, in the order of the structs: a table before those in it."""
    return {table.path: table for table in _walk(Settings, (), many=False)}


def table_of(path: Path) -> Table | None:
    """The table that a user's path leads to, whatever they call it; None where there is none."""
    fitting = (each for each in tables().values() if len(each.path) == len(path))
    return next((each for each in fitting if _fits(path, each.path)), None)


def _fits(path: Path, known: Path) -> bool:
    return all(ours in (theirs, NAME) for theirs, ours in zip(path, known, strict=True))


def keys_of(struct: Struct) -> tuple[Key, ...]:
    """The keys of a table, without the tables in it."""
    return next(_walk(struct, (), many=False)).keys


def lineage(struct: Struct) -> list[Struct]:
    """The struct and those that it is made from, the nearest first."""
    above = [each for each in struct.__mro__ if issubclass(each, msgspec.Struct)]
    return [each for each in above if each is not msgspec.Struct]


def unwrapped(kind: inspect.Type) -> inspect.Type:
    """Without `or None`."""
    if isinstance(kind, inspect.UnionType):
        others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
        return others[0] if len(others) == 1 else kind
    return kind


def _walk(struct: Struct, path: Path, *, many: bool) -> Iterator[Table]:
    keys, inner = list[Key](), list[tuple[Struct, Path, bool]]()
    for field in _fields(struct):
        kind = unwrapped(field.type)
        below = (*path, field.encode_name)
        match kind:
            case inspect.StructType(cls=cls):
                inner.append((cls, below, False))
            case inspect.VarTupleType(item_type=inspect.StructType(cls=cls)):
                inner.append((cls, below, True))
            case inspect.DictType(value_type=inspect.StructType(cls=cls)):
                inner.append((cls, (*below, NAME), False))
            case _:
                owner = _owner(struct, field.name)
                keys.append(Key(field.encode_name, kind, _default(field), field.required, owner))
    yield Table(path, many, struct, tuple(keys))
    for each, below, is_list in inner:
        yield from _walk(each, below, many=is_list)


def _fields(struct: Struct) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _default(field: inspect.Field) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        factory: Any = field.default_factory
        return factory()
    return None if field.default is msgspec.NODEFAULT else field.default


def _owner(struct: Struct, name: str) -> Struct:
    """The first of its ancestors that has the field."""
    return next(each for each in reversed(lineage(struct)) if name in each.__struct_fields__)

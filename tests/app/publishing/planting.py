"""A status with a mark in every text that it can hold: whatever leaks, leaks the mark."""

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

MARK = "zqSECRETqz"
_NUMBERS = {
    int: st.integers(-5, 2**40),
    float: st.floats(-1e6, 1e12) | st.sampled_from([float("nan"), float("inf")]),
    bool: st.booleans(),
}


def planted(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type, its texts marked: also those that are meant to be one of a few words."""
    if kind is None or kind is type(None):
        return st.none()
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if kind is str or origin is Literal:
        return st.sampled_from([f"/{MARK}", f"<b>{MARK}", f"{MARK} {MARK}: {MARK}"])
    if origin in (Union, types.UnionType):
        return st.one_of(*(planted(each) for each in inner if each is not type(None)))
    if origin in (tuple, frozenset):
        made = st.lists(planted(inner[0]), min_size=1, max_size=2)
        return made.map(tuple if origin is tuple else frozenset)
    if origin is dict:
        return st.dictionaries(planted(inner[0]), planted(inner[1]), min_size=1, max_size=1)
    assert issubclass(kind, msgspec.Struct), kind
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: planted(hints[name]) for name in kind.__struct_fields__})

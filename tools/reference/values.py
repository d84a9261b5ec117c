"""What a key takes, in words: its kind, its bounds, its default, and the unit that its name ends in."""

import json
from collections.abc import Mapping

from msgspec import inspect

from tools.reference.settings import Key
from trainwatch.app.config import MEANT

Number = inspect.IntType | inspect.FloatType
# By the end of a name, the longest first.
_UNITS: Mapping[str, str] = {
    "_mb_per_s": "MB a second",
    "_gb_per_day": "GB a day",
    "_per_hour": "an hour",
    "_per_s": "a second",
    "_iterations": "iterations",
    "_samples": "samples",
    "_tokens": "tokens",
    "_tflops": "TFLOPs",
    "_days": "days",
    "_min": "minutes",
    "_mb": "MB",
    "_gb": "GB",
    "_h": "hours",
    "_s": "seconds",
}


def unit(name: str) -> str:
    """The unit in a key's name; nothing where it has none."""
    return next((said for end, said in _UNITS.items() if name.endswith(end)), "")


def default(key: Key) -> str:
    """As it would be written; nothing where there is none."""
    return "" if key.default is None or key.default in ((), "", {}) else written(key.default)


def written(value: object) -> str:
    """A value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value:g}" if value == int(value) and abs(value) < 1e6 else repr(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list() | tuple():
            return f"[{', '.join(written(each) for each in value)}]"
    raise TypeError(f"{type(value).__name__} has no place in a configuration")


def kind(of: inspect.Type) -> str:
    """What may be written there."""
    match of:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType() | inspect.FloatType():
            whole = "whole number" if isinstance(of, inspect.IntType) else "number"
            return f"{whole}{_bounds(of)}"
        case inspect.StrType():
            return (
                MEANT.get(of.pattern, f"text that matches `{of.pattern}`") if of.pattern else "text"
            )
        case inspect.LiteralType(values=values):
            return ", ".join(f"`{written(each)}`" for each in values)
        case inspect.VarTupleType(item_type=item):
            return f"list, each: {kind(item)}"
        case inspect.TupleType(item_types=items):
            return f"list of {len(items)}, each: {kind(items[0])}"
        case inspect.DictType(value_type=value):
            return f"table, each value: {kind(value)}"
    raise TypeError(f"no words for {of}")


def _bounds(of: Number) -> str:
    """`, 60 to 3600`; whether a bound itself is meant is said."""
    least = [f"above {_said(of.gt)}"] if of.gt is not None else []
    least += [f"at least {_said(of.ge)}"] if of.ge is not None else []
    most = [f"below {_said(of.lt)}"] if of.lt is not None else []
    most += [f"at most {_said(of.le)}"] if of.le is not None else []
    if of.ge is not None and of.le is not None:
        return f", {_said(of.ge)} to {_said(of.le)}"
    return "".join(f", {each}" for each in (*least, *most))


def _said(bound: float) -> str:
    return f"{bound:,.4g}" if bound < 1000 else f"{bound:,.0f}"

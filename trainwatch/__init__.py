"""trainwatch watches long training jobs from outside, without a change to their code.

For notebooks: `read` a log, `open_run` what was kept of one (docs/api.md). Each is loaded when it is first
named, so that `import trainwatch` costs nothing; their types stand in `__init__.pyi`.
"""

__version__ = "0.1.0"

_PLACES = {
    "Log": "trainwatch.app.api",
    "Run": "trainwatch.app.api",
    "open_run": "trainwatch.app.api",
    "read": "trainwatch.app.api",
    "LeaseHeld": "trainwatch.core.errors",
    "LogUnknown": "trainwatch.core.errors",
    "LogUnreadable": "trainwatch.core.errors",
    "StoreUnusable": "trainwatch.core.errors",
    "TrainwatchError": "trainwatch.core.errors",
    "UsageError": "trainwatch.core.errors",
}
__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - names all of them


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'trainwatch' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""Where a token for the Hub is, and where the Hub is, by the rules of its client, which is not loaded for it.

The trap: the token is looked for and never held: nothing here returns a word of it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
ENDPOINT = "https://huggingface.co"
_MOST_BYTES = 4096


def found(environment: Mapping[str, str]) -> str:
    """Where a token is, e.g. `HF_TOKEN` or the path of a file; empty where there is none."""
    for name in _VARIABLES:
        if environment.get(name, "").strip():
            return name
    path = token_path(environment)
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if os.read(handle, _MOST_BYTES).strip():
                return str(path)
        finally:
            os.close(handle)
    return ""


def token_path(environment: Mapping[str, str]) -> Path:
    """The file that `hf auth login` writes."""
    if named := environment.get("HF_TOKEN_PATH"):
        return Path(named).expanduser()
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    home = environment.get("HF_HOME") or f"{cache}/huggingface"
    return Path(os.path.expandvars(home)).expanduser() / "token"


def endpoint(environment: Mapping[str, str]) -> str:
    """The Hub that is asked."""
    return environment.get("HF_ENDPOINT", "").strip() or ENDPOINT

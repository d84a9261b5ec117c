"""This very trainwatch, as a line of a job's script: the same Python, the same package.

The trap: a job begins in a folder of somebody's, and `python -m` would take what lies there for its modules.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import trainwatch


def script(module: str, arguments: Sequence[str], tail: str = "") -> str:
    """A batch script that runs a module; `tail` is put behind its arguments, as the shell reads it."""
    words = [sys.executable, "-P", "-m", module, *arguments]
    return f"#!/bin/sh\n{_path()}exec {shlex.join(words)} {tail}\n"


def _path() -> str:
    """Where our package is, unless Python finds it there by itself."""
    root = Path(trainwatch.__file__).resolve().parents[1]
    if root.is_relative_to(Path(sys.prefix).resolve()):
        return ""
    known = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [str(root), *(str(Path(path).absolute()) for path in known)]
    return f"export PYTHONPATH={shlex.quote(os.pathsep.join(dict.fromkeys(paths)))}\n"

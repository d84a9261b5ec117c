"""A process that is killed at its n-th touch of the filesystem: every moment of an operation, one by one.

The kill is a real SIGKILL to a real child; Python's audit events say when the moment has come.
"""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable

_TOUCHES = frozenset(
    {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.link"}
)


def dies_at(step: int, do: Callable[[], object]) -> bool:
    """Whether `do`, in a child, came to its `step`-th touch and was killed there."""
    with warnings.catch_warnings():
        # From Python 3.12 on: threads are not forked. The child runs nothing that waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        left = step

        def count(event: str, _: object) -> None:
            nonlocal left
            if event in _TOUCHES:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        code = 1
        try:
            sys.addaudithook(count)
            do()
            code = 0
        except BaseException:  # noqa: BLE001 - told, and then the child ends without pytest's farewell
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "it failed by itself"
    return False

"""python -m trainwatch, and the `trainwatch` command."""

import gc
import sys
import warnings

from trainwatch import __version__


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:] == ["--version"]:
        print(f"trainwatch {__version__}")
        sys.exit(0)
    # a pattern of the user's that a Python to come may read otherwise: what it says is a line of our code
    warnings.simplefilter("ignore", FutureWarning)
    gc.disable()  # nothing that is imported is garbage; app/cli.py goes on when all is there
    from trainwatch.app.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

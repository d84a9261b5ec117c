"""Pictures of screens, kept as .svgz, a tenth of an .svg: any browser opens them."""

import gzip
import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

FOLDER = Path(__file__).parent / "pictures"
_ID = re.compile(r"terminal-\d+")  # made of what is on the screen: it would change in every line


class Album:
    """Compares screens with what a person accepted; tells of all that differ, not only of the first."""

    def __init__(self, request: pytest.FixtureRequest, seen: Path) -> None:
        """`seen`: a folder for what is shown instead. `--snapshot-update` accepts it."""
        self._accepts = bool(request.config.option.update_snapshots)
        self._seen = seen
        self._wrong: list[str] = []

    def look(self, pilot: Pilot[None], name: str) -> None:
        """At the screen, by a name that is one of its own."""
        shown = _ID.sub("terminal", pilot.app.export_screenshot(title=name))
        kept = FOLDER / f"{name}.svgz"
        if self._accepts:
            FOLDER.mkdir(exist_ok=True)
            if not kept.exists() or _read(kept) != shown:
                kept.write_bytes(gzip.compress(shown.encode(), 9, mtime=0))
        elif not kept.exists() or _read(kept) != shown:
            (self._seen / f"{name}.svg").write_text(shown)
            self._wrong.append(name if kept.exists() else f"{name} (never accepted)")

    def close(self) -> None:
        """Fail if anything differed."""
        again = "pytest tests/app/tui/test_pictures.py --snapshot-update"
        assert not self._wrong, (
            f"not as accepted: {', '.join(self._wrong)}; as it is now: {self._seen}/*.svg; "
            f"if that is well: {again}"
        )


def _read(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()

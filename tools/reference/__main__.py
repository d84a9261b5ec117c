"""python -m tools.reference: writes the pages of docs/reference anew."""

import sys

from tools.reference.pages import FOLDER, PAGES


def main() -> None:
    """Each page, and a word about it."""
    FOLDER.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        (FOLDER / f"{name}.md").write_text(make())
        sys.stderr.write(f"wrote docs/{FOLDER.name}/{name}.md\n")


main()

"""The screen: the only room that knows Textual. It is handed a source of snapshots and does no I/O."""

import os

# Textual paints on a beat, and a key waits for the next: 17 ms at worst if nobody says otherwise, here 4.
# Where nothing changed nothing is painted, so it costs nothing.
os.environ.setdefault("TEXTUAL_FPS", "240")

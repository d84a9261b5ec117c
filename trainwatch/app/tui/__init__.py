"""The screen: the only room that knows Textual. It is handed a source of snapshots and does no I/O."""

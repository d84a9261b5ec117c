"""`trainwatch run`: a command, its output handed on, and the watcher beside it."""

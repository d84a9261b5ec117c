"""`trainwatch doctor`: each configured thing is looked at, in a thread of its own, and judged."""

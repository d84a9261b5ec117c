"""A run's history, a row per iteration, for other programs. Streams: a million rows cost no more memory."""

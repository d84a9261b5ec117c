"""Checkpoints on disk: what they are called, whether they are complete, which may go and in what order."""

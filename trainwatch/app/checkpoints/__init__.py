"""The checkpoints of a run: looked at, pruned, a round finished, and taken back."""

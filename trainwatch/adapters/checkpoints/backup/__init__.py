"""Copies of checkpoints at another place: made, listed, read through, and brought back."""

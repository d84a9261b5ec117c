"""Copies of checkpoints elsewhere."""

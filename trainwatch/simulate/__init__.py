"""A training job that never was."""

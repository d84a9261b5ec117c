"""Metrics: how they are written down, and how others get them."""

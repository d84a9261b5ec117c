"""Metrics: from statuses to numbers."""

"""Metrics: configured, beside a watch, as a command, and in a real Prometheus."""

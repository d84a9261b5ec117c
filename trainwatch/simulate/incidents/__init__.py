"""What really went wrong in public training logs, as scenarios: one file a topic, one table."""

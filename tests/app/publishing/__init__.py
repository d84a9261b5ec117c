"""What a run shows outside."""

"""Watching disks: which, how often, and what is seen of them."""

"""What ought to be told: one small function a rule, in one table (table.py)."""

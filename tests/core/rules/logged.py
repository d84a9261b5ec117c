"""Lines of a log by which rules know a start, a save interval, an exit; and units."""

MIN, H, GB = 60.0, 3600.0, 10**9
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"
INTERVAL = "  save_interval ................................... 100"
EXIT = "[exiting program after 1190.03 minutes] datetime: 2026-08-01 10:00:00"

"""Side-by-side measurements, one file per claim. `make bench` runs them all and prints a table."""

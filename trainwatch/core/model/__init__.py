"""The values that cross rooms. All are frozen; each field says its meaning and unit."""

"""Bytes of a log -> clean lines -> records. One file per log format; table.py lists them."""

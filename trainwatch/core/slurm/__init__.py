"""Slurm's commands as argv, and their answers as values. Nothing here runs a command or knows the time.

The trap: an answer that is not one (an error, half a page, nothing) must never read as an empty queue.
"""

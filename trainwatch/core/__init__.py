"""What trainwatch knows: pure values and functions, no I/O, no clock, no threads."""

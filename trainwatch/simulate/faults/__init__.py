"""What goes wrong in a run: small values that a scenario lists, one file for what each kind strikes."""

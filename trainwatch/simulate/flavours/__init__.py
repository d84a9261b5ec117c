"""How each framework prints a run: one file a framework, one table that lists them."""

"""Many logs compared: found, read in parallel, chosen from, and written as a table or a picture."""

"""The world, one piece a file; each imports core and its own library, never a neighbour."""

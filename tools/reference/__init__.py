"""docs/reference: pages made from the code, so that nothing in them can be left behind by it."""

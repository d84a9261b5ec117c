"""`trainwatch init`: a first configuration, from a log and from what lies around it."""

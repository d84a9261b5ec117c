"""What those who build trainwatch run, and users never do."""

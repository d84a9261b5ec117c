"""What others may scrape of the runs: which numbers there are, and where they may be served."""

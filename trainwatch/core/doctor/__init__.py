"""What `trainwatch doctor` says of what was looked at: ok, warning, wrong or unknown, and what to do."""

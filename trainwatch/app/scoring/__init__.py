"""How good the rules are: simulated incidents and healthy runs, judged as a watcher would judge them."""

"""trainwatch's own life on the cluster: the chain of jobs it lives in, and what that does by the clock."""

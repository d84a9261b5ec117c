"""A real Slurm on this machine: what trainwatch asks it, and what becomes of jobs, nodes and answers."""

"""Room on disks: what quota commands answer, and how much may still be written."""

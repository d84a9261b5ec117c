"""What a run shows outside: a page and a status for anybody, and scalars for TensorBoard."""

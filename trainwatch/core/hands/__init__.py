"""Hands on jobs: which deed is called for, the proof that it is, and what was done before. Plans only."""

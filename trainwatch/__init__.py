"""trainwatch watches long training jobs from outside, without a change to their code."""

__version__ = "0.1.0"

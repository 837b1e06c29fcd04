"""Weights of the readers: which, how good, and where they lie."""

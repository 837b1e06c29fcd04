"""Weights of the readers: which, how good, and where they lie.

``manifest.toml`` lists each file with its checksum and figures; ``registry`` hands out files that are whole.
"""

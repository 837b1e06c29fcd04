"""A game in the formats of other programs, made from its journal alone.

Reading order: ``rows`` (each event as a row, as it stands after all decisions), ``csv_file``, ``webvtt``,
``formats`` (which there are, and what ``kemps export --to`` takes).
"""

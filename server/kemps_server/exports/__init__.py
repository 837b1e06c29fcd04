"""A game in the formats of other programs, made from its journal alone.

Reading order: ``material`` (what a game is exported from), ``rows`` (each event as a row, as it stands after
all decisions), then a format each (``csv_file``, ``parquet_file``, ``elan``, ``boris``, ``webvtt``,
``figures`` for what the game comes to), and ``formats`` (which there are).
"""

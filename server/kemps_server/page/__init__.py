"""The page of a game: one HTML file that needs nothing else.

Reading order: ``story`` (what a page shows), ``binding`` (events to a story), ``render`` (a story to HTML).
"""

"""The highlight reel of a game: its best moments from the film, with captions, as one MP4.

Reading order: ``cuts`` (which spans of which camera, in the order of time), ``cards`` (captions and title
cards drawn on pictures), ``making`` (from moments to a file; faces are hidden as in cases), ``notes`` (what
was made, beside the game) and ``jobs`` (made for a page, in a process of its own).
"""

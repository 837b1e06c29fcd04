"""The film of a game, frame-true: which frame was on show at a moment, by each camera.

Reading order: ``index`` (which frames a file has, and when), ``reel`` (one file, any of its frames),
``pieces`` (the files of a camera), ``offsets`` (what people said of a clock), ``footage`` (all of it
for a game), ``clips`` (a span as a video of its own), ``film`` (both), ``films`` (those kept open).

Times are the game's: ms on the clock of the journal. A camera ahead of it has an ``offset_ms``.
"""

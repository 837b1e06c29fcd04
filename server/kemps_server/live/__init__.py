"""Games while they are played: what each audience may know, when, and how it reaches them.

Read in this order:

* ``disclosure``: audiences, and when all of a game may be seen
* ``delay``: how long the public waits, and that a promise once given holds
* ``cursor``: a game followed line by line
* ``public_state``, ``staff_state``: what is told of it, and to whom
* ``patches``, ``stream``: states as a snapshot and deltas, for as many sockets as there are
* ``feed``, ``hub``: one thread a game, kept for as long as anybody listens
* ``sockets``: one WebSocket
* ``obs``: OBS told to save a replay or switch a scene
"""

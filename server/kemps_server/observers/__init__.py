"""Tables while they are played: an observer for each, as a process of its own that is looked after.

Reading order: ``clock`` (a game's time, the same for server and observer), ``table_settings``,
``played_clip`` (a video file as a camera), ``standing`` and ``gaps`` (a game that goes on), ``store_lines``
(events into the store, calls out of it), ``pictures``, ``hearing`` (its microphones), ``telling`` (what an
observer tells the server), ``lifeline`` (that it ends with it), ``process`` (the observer itself, which is
``python -m kemps_server.observers DIR GAME TABLE``), ``supervised`` (one observer kept alive), ``observers``
(all of a server's), ``opening`` (a new game), ``calling`` (calls by button), ``holding`` (recordings that a
referee holds), ``looking`` (cameras and tables looked at for setting them up, in short-lived processes),
``set_up`` (a table as a page edits it).
"""

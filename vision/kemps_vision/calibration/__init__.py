"""Set-up of a table from its pictures, and whether its cameras still stand as they did.

To read in this order: ``plane`` (how a camera sees the table's top, by the cards on it), ``centre``,
``seating`` (where players sit), ``face_places``, ``finding`` (all of it from a few looks), ``writing`` and
``record`` (the files), ``picture`` (for people). Then ``anchors`` (what stays in a view), ``alignment`` (one
look at a camera that may have moved), ``drift`` (a whole game of them), ``events`` (in the journal).
"""

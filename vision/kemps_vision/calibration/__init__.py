"""Set-up of a table from its pictures, and whether its cameras still stand as they did.

To read in this order: ``plane`` (how a camera sees the table's top, by the cards on it), ``centre``,
``seating`` (where players sit), ``finding`` (all of it from a few looks).
"""

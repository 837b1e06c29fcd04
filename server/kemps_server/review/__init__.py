"""The referee's desk: what in stored games is worth a person's look, and what people decided about it.

The whole use of it::

    desk = Desk(store)
    for incident in desk.queue().incidents:              # over all games, the weightiest first
        ...
    desk.act("thursday", "R10-7", Act(word="dismiss", why="he tied his shoe", key="…"), by="Ida")

Reading order: ``incident`` (the words), ``docket`` (a game's journal, read once and followed), ``called``,
``flagged`` and ``readings`` (which incidents there are), ``weights`` (how much hangs on each), ``standing``
(what people decided), ``opinions`` (sealed until there are two), ``acts`` (from an act to lines of the
journal), ``desk`` (all games), ``surroundings`` and ``pictures`` (what is shown round an incident).
"""

"""What is wrong with cameras, light and cards, and what to do about it: the work of ``kemps doctor``.

To read in this order: ``findings`` (what comes out), ``installation`` (without a camera), ``looks`` (frames
of a source, now and then read), ``measures`` over them with ``light`` and ``sharpness``, ``card_sizes`` (what
a card's length means, as measured), ``advice`` (measures to findings), ``examination`` (all of it in turn).
"""

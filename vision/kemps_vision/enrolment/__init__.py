"""Decks that read badly are learnt from one sweep of their cards and read better from then on.

Read in this order: ``deck`` (what is known of a learnt deck), ``sweep`` (the cards that lie still in a
recording, one after the other), ``order`` (which card each is), ``placing`` (where its edges are),
``faces`` (whole cards compared), ``head`` (the classifier's last layer, adapted), ``learning`` (all of it,
and the score), ``store`` (decks on disk), ``reader`` (a ``CardReader`` of one deck).
"""

"""The store of games: journals line by line in a database, and what belongs to them.

The whole use of it::

    with Store.open(DataFolder(path)) as store:
        game = store.games.begin("Thursday", header)      # line 0
        journal = store.games.journal(game.id)
        journal.append(CardTaken(at_ms=8400, seat="A", card=card))   # on disk when this returns
        for line in follow(journal, 0, is_over):           # also what other processes append
            ...

Reading order: ``journals`` (the Protocol, lines, following), ``checking`` (what may be appended), ``memory``,
``schema`` (the database's tables), ``database`` (connections, transactions, errors in one line),
``sql_journal``, ``games``, ``tables``, ``users``, ``passwords``, ``tokens``, ``decisions``, ``choices``,
``erasure`` (a name gives way), ``upgrading`` and ``migrations`` (older databases), ``archive`` (backup
and restore), ``store`` (all of it together).
"""

"""The rules of Kemps as a fold over events, pure Python.

The whole use of it::

    journal = read_journal("game.jsonl")       # kemps_rules.journal
    for step in replay(journal):               # kemps_rules.replay: event, table, flags, verdict
        ...
    judge(journal).as_json()                   # letters, verdicts, flags

Reading order: ``cards``, ``seats``, ``events`` (the words), ``wire``, ``journal``, ``writer`` (lines on
disk), ``house`` (switches), ``deal`` and ``ledger`` (the fold of a deal), ``unobserved`` (spans that nobody
saw), ``rulebook`` and ``conduct`` (flags), ``shown``, ``balance``, ``aftermath`` and ``completions`` (what a
hand may have been), ``calls``, ``verdict``, ``reasons`` and ``score``, ``decisions`` (people), ``fold``,
``replay`` and ``judgement`` (the walk). What each rule says stands in ``rules/README.md``.
"""

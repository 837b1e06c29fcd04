"""What a game comes to once it is over: figures from its journal, with how sure each is and what it rests on.

Pure functions: a journal goes in, frozen values come out, which are the JSON of the pages as well.

Reading order: ``estimates`` (counts and times with intervals), ``spans`` (time as a set), ``material`` (a
journal made ready), ``coverage`` (what was not seen), then a question each (``letters``, ``quads``,
``calls``, ``swaps``, ``contests``, ``gestures``, ``signs``), ``game`` (all of a game), ``highlights`` (its
moments worth seeing), ``players`` (one name over many games), ``figure_rows`` (all of it as one flat table),
``shelf`` (worked out once); for pages ``looks``, ``sign_looks``, ``player_looks``, ``phrases``, ``telling``.

What was not filmed is taken out of each denominator, what was not seen is never guessed, and nothing is put
in order by a figure that rests on fewer than ``estimates.LEAST_COMPARED`` occasions.
"""

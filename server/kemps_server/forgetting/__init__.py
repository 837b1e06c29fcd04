"""What goes and what stays: recordings by age, whole games, and people who want to be forgotten.

``material`` (what lies beside a game, and what of it is held as evidence), ``retention`` (recordings that are
old enough), ``removal`` (a game with all that belongs to it), ``rewriting`` (a name in a journal's line),
``person`` (a name in everything that is kept), ``daily`` (the job that runs beside the server).
"""

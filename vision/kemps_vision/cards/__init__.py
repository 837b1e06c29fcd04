"""Which cards lie face up in a picture.

Read in this order: ``reading`` (what is said about a picture), ``find`` (where corner indices may be),
``classify`` (what each reads as), ``instances`` (corners joined into cards), ``reader`` (all of it behind
one Protocol).
"""

"""Which cards lie face up in a picture.

Read in this order: ``reading`` (what is said about a picture), ``stills`` (pictures from files), ``scales``
(at which sizes to look), ``find`` (where corner indices may be), ``classify`` (what each reads as),
``alphabets`` (printed letters as ranks), ``instances`` (corners joined into cards), ``identities`` (names
given together), ``unread`` (cards without a name), ``quads`` and ``outline`` (where a card lies), ``reader``
(all of it behind one Protocol).
"""

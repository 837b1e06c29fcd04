"""Pictures for people: what was read and what it means, drawn on the frame.

Reading order: ``suits`` (the four shapes), ``text`` (letters and plates), ``layout`` (labels that cover no
index), ``reading`` (one picture and its cards), ``table`` (centre, seats, banner), ``strip`` (before, at,
after), ``video`` (many of them, as H.264).
"""

"""A case: all there is of a span of a game, in one file that anybody can check.

Reading order: ``case`` (what is in it and how it is packed), ``faces`` (making people unrecognisable).
"""

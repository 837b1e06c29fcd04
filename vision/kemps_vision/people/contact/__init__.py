"""Contact between people at the table: hands that touch, hands on others' bodies, hands out of view.

Reading order: ``persons`` (bodies seen in several views are one person with two arms), ``evidence`` (what
says in one picture that hands of two people touch), ``stills`` (the views of a still), ``spans`` (what is
told), ``watching`` (contact over time), ``hiding`` (hands out of view).
"""

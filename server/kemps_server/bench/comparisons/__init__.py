"""Other ways to read cards, measured on the same photos as ours: none is part of the product.

``templates`` and ``matching`` are a template matcher as OpenCV tutorials build it; ``scoring`` scores that
and what any other reader has written down. ``python -m kemps_server.bench.comparisons --help`` runs both.
"""

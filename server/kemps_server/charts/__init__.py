"""Charts as places in a picture; ``page/templates/charts.html.j2`` draws them as SVG, with no script.

Reading order: ``scales`` (from values to px, and where marks stand on an axis), ``marks`` (what all charts
are made of), then a kind each: ``steps`` (counts over time), ``dots`` (figures with their intervals) and
``strips`` (occasions along a line). Texts are phrases, so that a page speaks any of its languages.
"""

"""Made-up people for the made-up table: bodies, faces and hands that MediaPipe finds, with exact truth.

Where to read on: `source.py` fetches MakeHuman's CC0 data, `mesh.py` reads it; `phenotype.py`,
`complexion.py` and `garments.py` make a person, which `figure.py` puts together and moves with the bones of
`skeleton.py`; `grips.py` and `posture.py` seat it at the table and bring its hands where they should be;
`painter.py` draws all this by software OpenGL as a `lens.py` sees it.
"""

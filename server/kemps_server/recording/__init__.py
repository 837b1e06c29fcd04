"""Recording a live game: what the cameras show as H.264 in short files, and which frames were used.

Reading order: ``encoding`` (pictures to H.264 and back), ``segments`` (to files), ``disk`` (space, budget and
what is held), ``recorder`` (all of it for a table's cameras), ``status`` (what cameras and recording do).
How a recording is laid out and read is in ``kemps_vision.sources.segments`` and ``frames_index``, and told in
docs/recording.md.
"""

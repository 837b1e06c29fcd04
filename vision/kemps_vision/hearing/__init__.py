"""Hearing the calls: who shouted what, and when, from a microphone or a recording's sound track.

sources -> features -> network -> onsets -> deciding; each is a module here. What is heard is a proposal.
"""

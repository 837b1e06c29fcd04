"""Traces: what was seen in each watched frame — cards, hands, faces — so that it can be drawn again.

They lie beside the journal in ``traces/``, are never an input to rules, and may be deleted at any time.

Reading order: ``trace`` (what is kept of a frame), ``chunks`` (how it is packed), ``writer`` (while
watching), ``reader`` (what was seen at a moment), ``drawing`` (on a frame, as live ones are drawn).
"""

"""From frames to events."""

"""Training of the weights; not part of the wheel."""

"""Accuracy and speed figures, each made by a command."""

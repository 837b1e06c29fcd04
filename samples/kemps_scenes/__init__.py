"""The made-up table: games simulated, clips rendered with exact truth."""

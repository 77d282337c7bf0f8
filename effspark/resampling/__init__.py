"""Exact sums and resampling (paper G.3, G.5)."""

"""Benchmarks: commands that print ratios, of figures beside those of a plain alternative."""

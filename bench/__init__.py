"""Benchmarks: commands that print figures, beside those of a plain alternative in the same run."""

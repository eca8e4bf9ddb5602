"""Benchmarks: commands that print figures, each beside something plain measured in the same run."""

"""Boundaries of counties and census tracts: files that staff load, in use on maps by year."""

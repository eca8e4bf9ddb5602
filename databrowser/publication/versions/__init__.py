"""Versions of data sets: published, rolled back, withdrawn, kept and removed."""

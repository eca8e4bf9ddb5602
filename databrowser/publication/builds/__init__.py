"""Builds of the data set of a year: its sources, the job that builds it, its files."""

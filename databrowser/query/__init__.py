"""Queries of the public records and their answers: totals, institutions, breakdowns."""

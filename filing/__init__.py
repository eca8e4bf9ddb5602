"""Institutions, periods, filings and submissions: the authenticated API and its pipeline."""

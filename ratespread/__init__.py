"""The rate spread: the APR of a loan less the average prime offer rate (APOR)."""

"""Errors as HTTP answers: JSON in the form of each API area, pages everywhere else."""

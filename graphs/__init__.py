"""Quarterly graphs: how applications, loans and their prices change over time."""

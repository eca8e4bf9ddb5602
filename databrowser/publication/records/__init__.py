"""The values of a record: those made public, and those that only the graphs may use."""

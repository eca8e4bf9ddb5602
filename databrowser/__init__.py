"""The published loans: the public data set, and what anyone can ask of it."""

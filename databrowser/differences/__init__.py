"""What changed between two versions of the data set of a year, by institution."""

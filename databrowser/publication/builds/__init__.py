"""The data set of a year: what it is made of, how it is queued, built and written."""

"""Modified LAR files of institutions and the data dictionary, for anyone."""

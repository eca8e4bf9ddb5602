"""What became public and when, and the files of each year, for anyone."""

"""The public endpoints of the publication history and of the files of each year."""

"""The public endpoints of modified LAR files and of the data dictionary."""

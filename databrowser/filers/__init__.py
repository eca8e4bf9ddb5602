"""Who filed a year, and in which MSA/MDs, for programs that know these older addresses."""

"""Published files of public records: reading, importing, leaving out and including again."""

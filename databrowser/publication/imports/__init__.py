"""Published files of public rows: how they are read, imported, left out and taken in again."""

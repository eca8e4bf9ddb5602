"""What all requests share: their ids, the pages of lists, bodies that are not read."""

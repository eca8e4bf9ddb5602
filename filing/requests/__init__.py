"""What every address shares: ids of requests, pages of lists, bodies that are not read."""

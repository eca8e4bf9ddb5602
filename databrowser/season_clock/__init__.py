"""The public clock of a filing season, on sites that show it: a page, and the same as JSON."""

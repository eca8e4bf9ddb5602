"""Lists on a schedule: which there are, when they are made, and who gets them."""

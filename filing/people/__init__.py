"""Users, what they may do, and the institutions they belong to."""

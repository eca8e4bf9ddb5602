"""Users, their roles, and the institutions they act for."""

"""The authenticated filing API, and what the public addresses share with it."""

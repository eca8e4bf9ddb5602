"""The authenticated filing API: a view finds, reads, calls one action, answers."""

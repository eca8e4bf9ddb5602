"""The authenticated filing API, and base classes for the public endpoints."""

"""Checks of receipts without an account: the API, the page, and the public keys."""

"""Checking before filing, without an account, and the edits reference."""

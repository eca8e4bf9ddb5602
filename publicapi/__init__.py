"""Checking before filing, without an account, and the book of edits."""

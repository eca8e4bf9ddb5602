"""Yearly files of public facts: loaded, registered, stored, read."""

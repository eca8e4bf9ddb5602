"""Connections of callers: a slow one keeps no other waiting."""

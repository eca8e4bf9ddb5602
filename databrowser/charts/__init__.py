"""Bars and maps of what is public, and the shapes that maps are drawn from."""

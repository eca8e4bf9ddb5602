"""Operator pages of publication, one module a subject. Importing this registers all of them."""

from databrowser.admin import modified

__all__ = ["modified"]

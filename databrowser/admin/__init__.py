"""Operator pages of publication, one module a subject. Importing this registers all of them."""

from databrowser.admin import imports, modified, publications, versions

__all__ = ["imports", "modified", "publications", "versions"]

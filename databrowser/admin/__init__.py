"""Operator pages of publication, one module per subject. Importing it registers all of them."""

from databrowser.admin import imports, modified, publications, versions

__all__ = ["imports", "modified", "publications", "versions"]

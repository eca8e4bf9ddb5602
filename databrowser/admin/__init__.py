"""Operator pages of publication, one module per subject. Importing it registers all of them."""

from databrowser.admin import data_sets, files

__all__ = ["data_sets", "files"]

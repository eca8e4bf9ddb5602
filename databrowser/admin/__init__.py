"""Operator pages of publication, one module per subject. Importing it registers all of them."""

from databrowser.admin import changes, data_sets, files, freeze_days

__all__ = ["changes", "data_sets", "files", "freeze_days"]

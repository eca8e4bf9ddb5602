"""Operator pages of publication, one module per subject. Importing it registers all of them."""

from databrowser.admin import boundaries, changes, data_sets, files, freeze_days

__all__ = ["boundaries", "changes", "data_sets", "files", "freeze_days"]

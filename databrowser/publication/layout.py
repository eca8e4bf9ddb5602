"""The folders and file names of publication in storage.

    publication/years/<year>/<number>-<attempt>/     a version of a data set
    publication/imports/<year>/<time and UUID>/      a published file that was imported

The public records of a submission are in a folder beside its other files.
"""

from __future__ import annotations

VERSIONS = "publication/years"
IMPORTS = "publication/imports"

LOANS = "loans.parquet"  # public records as texts: of a version, an import or a submission
TYPED = "typed.parquet"  # of a version: the same records with numbers, which the public gets
SERVING = "serving.duckdb"  # of a version, for queries
MANIFEST = "manifest.json"  # of a version: its files and their sources
RECONCILIATION = "reconciliation.json"  # of a vintage, for staff
NAMES = "names.parquet"  # of an import: names of institutions


def name_state_file(state: str) -> str:
    """Return the name of the typed file of a version with the records of a state."""
    return f"typed-{state}.parquet"

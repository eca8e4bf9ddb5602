"""Where the files of publication lie in storage, and what they are called.

    publication/years/<year>/<number>-<attempt>/     a version of a data set
    publication/imports/<year>/<time and UUID>/      a published file that was imported

The public rows of a submission lie in a folder beside its other files.
"""

from __future__ import annotations

VERSIONS = "publication/years"
IMPORTS = "publication/imports"

LOANS = "loans.parquet"  # public rows: of a version, of an import, of a submission
SERVING = "serving.duckdb"  # of a version, for queries
MANIFEST = "manifest.json"  # of a version: its files, and what they are made of
NAMES = "names.parquet"  # of an import: names of institutions

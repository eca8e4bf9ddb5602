"""What the commands do with official files of others.

`load_public_lar`: `rows` has the year, the LEI and the cells that `cells` of the JSON names, of
each record; `names` the institutions of the list that `panel` names. `load_institutions`:
`institutions` has year, LEI and name of each.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
from django.core.management import CommandError, call_command
from django.test import Client

from databrowser.models import PublicImport
from databrowser.publication.layout import LOANS, NAMES
from filing import storage
from filing.models import Institution
from tests.corpus.case_files import Answer, Case, refuse


def ask_command(case: Case, client: Client, folder: Path) -> Answer:
    words = [str(case.file)]
    if panel := case.body.get("panel"):
        words += ["--panel", str(case.file.parent / panel)]
    try:
        call_command(case.tool, *words, stdout=io.StringIO(), stderr=io.StringIO())
    except CommandError as error:
        return refuse(None, str(error))
    return _institutions() if case.tool == "load_institutions" else _records(case)


def _institutions() -> Answer:
    rows = Institution.objects.order_by("activity_year", "lei")
    return {"institutions": [f"{row.activity_year} {row.lei} {row.name}" for row in rows]}


def _records(case: Case) -> Answer:
    imported = PublicImport.objects.filter(active=True).order_by("year")
    if not imported:
        return {"rows": []}
    loans = pl.concat(_table(each, LOANS) for each in imported)
    cells = ["activity_year", "lei", *case.body.get("cells", [])]
    answer: Answer = {"rows": [[str(cell) for cell in row] for row in loans.select(cells).rows()]}
    if case.body.get("panel"):
        names = pl.concat(_table(each, NAMES) for each in imported).sort("lei")
        answer["names"] = [list(row) for row in names.select("lei", "name").rows()]
    return answer


def _table(imported: PublicImport, name: str) -> pl.DataFrame:
    return pl.read_parquet(storage.open_local_copy(f"{imported.folder}/{name}"))

"""What the commands do with official files of others.

`load_public_lar`: `rows` has the year, the LEI and the cells that `cells` of the JSON names, of
each record; `names` the institutions of the list that `panel` names. `load_institutions`:
`institutions` has year, LEI and name of each. `load_census`, `load_county_limits`: `rows` has the
cells of each row for `year`. `load_apor`: `weeks` has the first and the last rate of each week.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
from django.core.management import CommandError, call_command
from django.test import Client

from databrowser.models import PublicImport
from databrowser.publication.layout import LOANS, NAMES
from filing import storage
from filing.models import Institution, ReferenceData
from filing.reference_data import registry
from ratespread.models import AporKind, AporWeek
from tests.corpus.case_files import Answer, Case, refuse


def ask_command(case: Case, client: Client, folder: Path) -> Answer:
    words = [str(case.file)] if case.year is None else [str(case.year), str(case.file)]
    if case.tool == "load_apor":
        words += ["--kind", AporKind.FIXED]
    if panel := case.body.get("panel"):
        words += ["--panel", str(case.file.parent / panel)]
    try:
        call_command(case.tool, *words, stdout=io.StringIO(), stderr=io.StringIO())
    except CommandError as error:
        return refuse(None, str(error))
    return _ANSWERS.get(case.tool, _rows)(case)


def _rows(case: Case) -> Answer:
    file = ReferenceData.objects.get(year=case.year)
    rows = registry.read_rows_of_file(file).rows()
    return {"rows": [[str(cell) for cell in row] for row in rows]}


def _weeks(_: Case) -> Answer:
    weeks = AporWeek.objects.order_by("week")
    return {"weeks": [[str(each.week), each.rates[0], each.rates[-1]] for each in weeks]}


def _institutions(_: Case) -> Answer:
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


_ANSWERS: dict[str, Callable[[Case], Answer]] = {
    "load_public_lar": _records,
    "load_institutions": _institutions,
    "load_apor": _weeks,
}

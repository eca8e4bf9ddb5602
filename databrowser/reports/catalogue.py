"""Which yearly reports there are, and each of them: what pages and the API ask.

The reports of a year are those of its snapshot. An institution that signed only after it has its
disclosure reports from the first later vintage that has its records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from databrowser.models import Dataset, LiveVersion, Version, VersionReports
from databrowser.reports import cells, rendering, report_jobs, tables
from databrowser.reports.cells import CellNames, MsaMdNames
from databrowser.reports.definitions import (
    AGGREGATE,
    DISCLOSURE,
    INSTITUTIONS,
    ReportDefinition,
    find_definition,
)
from filing import storage
from filing.day_hours import to_filing_zone
from filing.errors import NotFound, Refusal
from filing.files import responses

ADDRESS = "/v2/public/reports"
REVISION = 1  # increased when the same cells are written as another text
# In which the reports of an institution are looked for, in this order.
_VINTAGES = tuple(dataset for dataset in Dataset if dataset != Dataset.DYNAMIC)


class ReportsPending(Refusal):
    """The refusal of reports that are being counted the first time."""

    status = 503
    seconds = 60

    def __init__(self, year: str) -> None:
        super().__init__(f"The reports of {year} are being made. Try again in a minute.")


@dataclass(frozen=True)
class ReportSource:
    """The version that reports are made of, and their cells."""

    reports: VersionReports

    @property
    def version(self) -> Version:
        return self.reports.version

    @property
    def year(self) -> int:
        return self.version.year

    @property
    def dataset(self) -> str:
        """Its data set as in a sentence: `2024 snapshot`."""
        return self.version.dataset_name

    @property
    def frozen_on(self) -> date | None:
        return self.version.frozen_on

    @property
    def report_date(self) -> datetime:
        """When its cells were counted."""
        assert self.reports.made_at is not None
        return self.reports.made_at

    @property
    def report_date_text(self) -> str:
        """The same as reports have it, in the filing time zone: `05/19/2025 09:30 AM`."""
        return to_filing_zone(self.report_date).strftime("%m/%d/%Y %I:%M %p")

    @cached_property
    def cells(self) -> Path:
        """The file of its cells, on this machine."""
        return storage.open_local_copy(self.reports.file)

    @property
    def names(self) -> CellNames:
        return cells.read_names(self.cells)

    def list_msa_mds(self, lei: str = "") -> list[MsaMdNames]:
        """Return the MSA/MDs with aggregate reports, or those of an institution, by id."""
        return [self.names.msa_mds[code] for code in cells.read_msa_mds(self.cells, lei)]

    def show_msa_md(self, msa_md: MsaMdNames) -> dict[str, str]:
        """Return an MSA/MD as JSON has it."""
        state = msa_md.only_state
        name = self.names.states.get(state, "")
        return {"id": msa_md.id, "name": msa_md.name, "state": state, "stateName": name}


@dataclass(frozen=True)
class ReportingInstitution:
    """An institution with records in a vintage, which its disclosure reports are made of."""

    lei: str
    name: str
    source: ReportSource

    def list_msa_mds(self) -> list[MsaMdNames]:
        """Return the MSA/MDs in which it has disclosure reports, by id."""
        return self.source.list_msa_mds(self.lei)


@dataclass(frozen=True)
class Report:
    """A report of an MSA/MD. institution: whose disclosure report it is; None of an aggregate."""

    definition: ReportDefinition
    source: ReportSource
    msa_md: MsaMdNames
    institution: ReportingInstitution | None = None

    @cached_property
    def table(self) -> pl.DataFrame:
        """Its rows, in the columns of its CSV file."""
        return tables.make_table(self.definition, self.source.cells, self.msa_md.id, self._lei)

    @property
    def kind(self) -> str:
        return DISCLOSURE if self.institution else AGGREGATE

    @property
    def title(self) -> str:
        return self.definition.title

    @property
    def description(self) -> str:
        return self.definition.describe(self.source.year)

    @property
    def is_all_zero(self) -> bool:
        """Whether every count is 0: then the report says that this is right."""
        counts = self.table.select(pl.selectors.ends_with("_count").sum())
        return self.definition is not INSTITUTIONS and counts.sum_horizontal().item() == 0

    @property
    def href(self) -> str:
        """Its address."""
        return name_address(self.source.year, self.msa_md.id, self.definition, self._lei)

    @property
    def head(self) -> dict[str, Any]:
        """The first keys of its JSON."""
        year = self.source.year
        institution = self.institution
        of_one = (
            {"lei": institution.lei, "institutionName": institution.name} if institution else {}
        )
        return {
            **of_one,
            "table": self.definition.table,
            "type": self.kind.capitalize(),
            "description": self.description,
            "year": str(year) if self.definition.has_text_year else year,
            "reportDate": self.source.report_date_text,
            "msa": self.source.show_msa_md(self.msa_md),
            "dataset": self.source.dataset,
            "version": self.source.version.name,
        }

    @property
    def json(self) -> str:
        """Its JSON."""
        return rendering.write_json(self.definition, self.head, self.table)

    @property
    def body(self) -> dict[str, Any]:
        """The values of its JSON."""
        read: dict[str, Any] = json.loads(self.json)
        return read

    def write_csv(self, *, has_heading: bool = False) -> str:
        """Return its CSV. has_heading: with lines that say what it is before the header."""
        return rendering.write_csv(self.table, self.heading if has_heading else ())

    @property
    def heading(self) -> list[str]:
        """What it is, line by line."""
        of_year = "" if self.definition is INSTITUTIONS else f", {self.source.year}"
        lines = [f"Table {self.definition.table}: {self.description}{of_year}"]
        if self.institution:
            lines.append(f"Institution: {self.institution.lei} - {self.institution.name}")
        return [*lines, f"MSA/MD: {self.msa_md.id} - {self.msa_md.name}"]

    @property
    def csv_name(self) -> str:
        """The name for saving its CSV file: `report-1-19124-Dallas-Plano-IrvingTX.csv`."""
        # A slash, as in Louisville/Jefferson County, would be a folder.
        name = self.msa_md.name.replace(",", "", 1).replace(" ", "", 1).replace("/", "-")
        parts = ["report", self.definition.table, self._lei, self.msa_md.id, name]
        return f"{'-'.join(filter(None, parts))}.csv"

    def make_etag(self, *form: Any) -> str:
        """Return its ETag in a form."""
        return make_etag(self.source, self.href, *form)

    @property
    def _lei(self) -> str:
        return self.institution.lei if self.institution else ""


def no_year(year: str) -> str:
    """Return the message for a year without reports."""
    return f"No reports of {year} are public."


def no_code(code: str, kind: str) -> str:
    """Return the message for an unknown report."""
    return f"There is no {kind} report {code}."


def no_institution(lei: str, year: str) -> str:
    """Return the message for an institution without records."""
    return f"No disclosure reports of {year} are public for institution {lei}."


def no_report(msa_md: str, year: str) -> str:
    """Return the message for an MSA/MD, or an institution in one, without records."""
    return f"There is no report of MSA/MD {msa_md} for {year}: nothing was reported there."


def list_report_years() -> list[ReportSource]:
    """Return the years whose reports are public and counted, newest first."""
    live = LiveVersion.objects.filter(dataset=Dataset.SNAPSHOT).values_list("year", flat=True)
    current = {each.version.year: each for each in report_jobs.find_current_reports()}
    # While a new version is counted, its year is looked up alone.
    reports = (current.get(year) or report_jobs.find_reports(year) for year in live)
    sources = [ReportSource(each) for each in reports if each]
    return sorted(sources, key=lambda source: source.year, reverse=True)


def find_year(year: int) -> ReportSource:
    """Return the source of the aggregate reports of a year.

    Raises: NotFound without a published snapshot; ReportsPending while they are counted.
    """
    source = _find_vintage(year, Dataset.SNAPSHOT)
    if source is None:
        raise NotFound(no_year(str(year)))
    return source


def list_msa_mds(year: int) -> list[MsaMdNames]:
    """Return the MSA/MDs with aggregate reports of a year, by id. Raises: as `find_year`."""
    return find_year(year).list_msa_mds()


def list_institutions(year: int) -> list[ReportingInstitution]:
    """Return the institutions with disclosure reports of a year, by name and LEI.

    Those that only a later vintage has are missing until its reports are counted.

    Raises: as `find_year`.
    """
    institutions: list[ReportingInstitution] = []
    seen: set[str] = set()
    for source in _list_vintages(year, skips_pending=True):
        names = source.names.institutions
        institutions += [
            ReportingInstitution(lei, names[lei], source)
            for lei in cells.read_institutions(source.cells)
            if lei not in seen
        ]
        seen |= names.keys()
    return sorted(institutions, key=lambda each: (each.name, each.lei))


def find_institution(year: int, lei: str) -> ReportingInstitution:
    """Return an institution with the first vintage of a year that has its records.

    Raises: NotFound, ReportsPending.
    """
    lei = lei.upper()
    for source in _list_vintages(year):
        if name := source.names.institutions.get(lei):
            return ReportingInstitution(lei, name, source)
    raise NotFound(no_institution(lei[:20], str(year)))


def find_report(year: int, kind: str, msa_md: str, code: str, lei: str = "") -> Report:
    """Return a report. kind: disclosure or aggregate. code: such as `1` or `i`, in any case.

    Raises: NotFound, ReportsPending.
    """
    definition = find_definition(kind, code)
    if definition is None:
        raise NotFound(no_code(code[:10], kind))
    if kind == DISCLOSURE:
        institution = find_institution(year, lei)
        source = institution.source
    else:
        institution, source = None, find_year(year)
    names = source.names.msa_mds.get(msa_md)
    if names is None or (
        institution and not cells.has_records(source.cells, msa_md, institution.lei)
    ):
        raise NotFound(no_report(msa_md[:10], str(year)))
    return Report(definition, source, names, institution)


def make_etag(source: ReportSource, *parts: Any) -> str:
    """Return the ETag of what is written from the cells of a source: it changes only with them."""
    reports = source.reports
    return responses.make_etag(
        (REVISION, reports.sha256, reports.made_at, source.version.name, *parts)
    )


def name_address(year: int, msa_md: str, definition: ReportDefinition, lei: str = "") -> str:
    """Return the address of a report."""
    owner = f"{DISCLOSURE}/{lei}" if lei else AGGREGATE
    return f"{ADDRESS}/{year}/{owner}/{msa_md}/{definition.code}"


def _list_vintages(year: int, *, skips_pending: bool = False) -> Iterator[ReportSource]:
    """Yield the sources of disclosure reports, each before the ones that were frozen later.

    Raises: NotFound, ReportsPending.
    """
    yield find_year(year)
    for dataset in _VINTAGES[1:]:
        with suppress(*([ReportsPending] if skips_pending else [])):
            if source := _find_vintage(year, dataset):
                yield source


def _find_vintage(year: int, dataset: str) -> ReportSource | None:
    """Return the source that a published vintage is; None if it is not published.

    Raises: ReportsPending.
    """
    if not LiveVersion.objects.filter(year=year, dataset=dataset).exists():
        return None
    reports = report_jobs.find_reports(year, dataset)
    if reports is None:
        report_jobs.request_missing_reports(year)
        raise ReportsPending(str(year))
    return ReportSource(reports)

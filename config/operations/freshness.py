"""How fresh each table of public facts is: its age, what a year lacks, and what that affects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from databrowser.models import BoundaryFile, BoundaryKind
from filing import registries
from filing.lar.years import filing_years
from filing.models import Institution, PanelImport
from filing.periods import filings
from filing.reference.kinds import CENSUS, REFERENCE_KINDS
from filing.reference_data import loading
from filing.reference_data.loading import Availability
from filing.registries import AdminLink
from filing.submissions import reference_checks
from ratespread import apor
from ratespread.models import AporTable

MAY_READ = "filing.view_referencedata"
_MAY_RUN = "filing.act_on_submission"
registries.register_admin_links(
    AdminLink(
        "Freshness of reference data",
        "admin:freshness",
        (MAY_READ,),
        "The age of each table, what is missing by year, and what was checked with former data.",
        place=202,
    )
)


@dataclass(frozen=True, slots=True)
class FreshnessRow:
    """A table of facts for a year, or as a whole.

    at: when it was loaded. kind, state: of its tag. affected: unsigned submissions that were
    checked with former data. address: of the page of the file, or of the list.
    """

    covers: str
    kind: str
    state: str
    source: str = ""
    at: datetime | None = None
    affected: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class FreshnessSection:
    """A table of facts: what it affects, and its rows.

    without: what else could have one and has none. is_in_edits: whether edits read it.
    """

    name: str
    effect: str
    rows: list[FreshnessRow]
    without: list[str] = field(default_factory=list)
    is_in_edits: bool = False


@require_safe
def show_freshness(request: HttpRequest) -> HttpResponse:
    """Show how fresh each table is, and which submissions were checked with former data."""
    if not request.user.has_perm(MAY_READ):
        raise PermissionDenied(MAY_READ)
    affected = count_affected_by_year()
    context = {
        "title": "Freshness of reference data",
        "sections": list(list_freshness(affected)),
        "affected": sum(affected.values()),
        "may_run": request.user.has_perm(_MAY_RUN),
        "now": timezone.now(),
    }
    page = {**admin.site.each_context(request), **context}
    return TemplateResponse(request, "admin/freshness.html", page)


def count_affected_by_year() -> dict[int, int]:
    """Return how many unsigned submissions of each year were checked with former data."""
    found = reference_checks.find_checked_with_former_data().order_by()
    numbers = found.values_list("filing__period__year").annotate(number=Count("pk"))
    return dict(numbers)


def list_freshness(affected: dict[int, int]) -> Iterator[FreshnessSection]:
    """Yield each table of facts. affected: unsigned submissions by year."""
    open_years = set(filings.find_periods_of_today().values_list("year", flat=True))
    rates = apor.annotate_newest_week(AporTable.objects.select_related("load"))
    availability = loading.list_availability()
    for name, kind in REFERENCE_KINDS.items():
        rows, without = [], []
        for year, files in availability:
            file = next(each for each in files if each.kind is kind)
            number = affected.get(year, 0) if name == CENSUS else 0
            if row := _describe_file(year, file, number, is_open=year in open_years):
                rows.append(row)
            else:
                without.append(str(year))
        label = f"{kind.label[:1].upper()}{kind.label[1:]}"
        yield FreshnessSection(
            label, f"If missing: {kind.missing}", rows, without, is_in_edits=kind.in_edits
        )
    yield FreshnessSection(
        "Panel of institutions",
        "If missing: filings of the year cannot be opened, and edits that compare with the panel "
        "do not run.",
        list(_list_panels(open_years)),
    )
    yield FreshnessSection(
        "Average prime offer rates (APOR)",
        "If old: the rate spread of loans locked since cannot be calculated.",
        list(map(_describe_rates, rates)),
    )
    yield FreshnessSection(
        "Boundaries of maps",
        "If missing: maps of the year show no such places.",
        *_list_boundaries(),
    )


def _describe_file(
    year: int, file: Availability, affected: int, *, is_open: bool
) -> FreshnessRow | None:
    """Return the file of a year; none where there is none, and need not be."""
    used = file.own or file.stands_in
    if used is None:
        is_missing = is_open and not file.kind.is_optional
        return FreshnessRow(str(year), "bad", "Missing") if is_missing else None
    kind, state = ("good", "Own file") if file.own else ("warn", f"File of {used.year}")
    address = reverse("admin:filing_referencedata_change", args=[used.pk])
    return FreshnessRow(str(year), kind, state, used.source, used.loaded_at, affected, address)


def _list_panels(open_years: set[int]) -> Iterator[FreshnessRow]:
    numbers = dict(
        Institution.objects.order_by().values_list("activity_year").annotate(number=Count("pk"))
    )
    last = PanelImport.objects.order_by("-at").values_list("file_name", "at").first()
    for year in sorted({*filing_years(), *numbers}, reverse=True):
        number = numbers.get(year, 0)
        address = f"{reverse('admin:filing_institution_changelist')}?activity_year={year}"
        if number:
            yield FreshnessRow(str(year), "good", f"{number:,} institutions", address=address)
        elif year in open_years:
            yield FreshnessRow(str(year), "bad", "Missing")
    if last:
        address = reverse("admin:filing_panelimport_changelist")
        yield FreshnessRow("Last import", "info", "Imported", *last, address=address)


def _describe_rates(table: Any) -> FreshnessRow:
    newest: date | None = table.newest
    address = reverse("admin:ratespread_aportable_changelist")
    label = str(table.get_kind_display())
    loaded_at = table.load.loaded_at if table.load else None
    if newest is None:
        return FreshnessRow(label, "bad", "Missing", table.trouble, address=address)
    is_old = apor.is_table_old(newest)
    state = f"{'Old: week' if is_old else 'Week'} of {newest}"
    kind = "warn" if is_old or table.trouble else "good"
    return FreshnessRow(label, kind, state, table.trouble, loaded_at, address=address)


def _list_boundaries() -> tuple[list[FreshnessRow], list[str]]:
    """Return the newest boundaries of each kind and year, and what has none."""
    files, rows, without = list(BoundaryFile.objects.filter(active=True)), [], []
    for kind in BoundaryKind:
        lacking = []
        for year in sorted(filing_years(), reverse=True):
            covers = f"{year}, {kind.label}"
            newest = next(
                (
                    file
                    for file in files
                    if file.kind == kind and file.first_year <= year <= file.last_year
                ),
                None,
            )
            if newest is None:
                lacking.append(str(year))
                continue
            address = reverse("admin:databrowser_boundaryfile_change", args=[newest.pk])
            rows.append(
                FreshnessRow(
                    covers, "good", "Loaded", newest.source, newest.loaded_at, address=address
                )
            )
        if lacking:
            without.append(f"{kind.label} of {', '.join(lacking)}")
    return rows, without

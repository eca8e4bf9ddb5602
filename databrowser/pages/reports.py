"""The pages of yearly reports: kind and year, state or institution, place, report.

Each step is an address. A report is shown as it is in JSON and CSV, with the vintage it is of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.generic import View

from databrowser.dimensions.catalogue import MSAMD
from databrowser.pages.report_tables import ReportTable, describe_column
from databrowser.query.questions import Question
from databrowser.register_summaries import documents
from databrowser.reports import catalogue
from databrowser.reports.catalogue import Report, ReportingInstitution, ReportSource
from databrowser.reports.cells import MsaMdNames
from databrowser.reports.definitions import (
    AGGREGATE,
    COLUMNS,
    DISCLOSURE,
    list_definitions,
)
from filing.errors import NotFound, Refusal
from filing.lar.years import Period, describe_unsettled
from filing.pages import tool_pages
from filing.reference.census import OUTSIDE_MSA_MD, OUTSIDE_NAME
from filing.requests import describe_unknown_parameters, select_page

PER_PAGE = 100  # institutions
UNKNOWN_STATE, _UNKNOWN_STATE_NAME = "NA", "State not known"


@dataclass(frozen=True)
class Choice:
    """A link to the next step. note: what is said after it."""

    label: str
    address: str
    note: str = ""


@dataclass(frozen=True)
class Crumb:
    """A step that was taken."""

    label: str
    address: str


class ReportsView(View):
    """The base of the pages: what is refused is a page that says where to go on."""

    http_method_names = ["get", "head"]
    parameters: tuple[str, ...] = ()

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        self.crumbs = [Crumb("Reports", reverse("reports"))]
        if "year" in where:
            where["year"] = int(where["year"])
        try:
            return super().dispatch(request, *args, **where)
        except Refusal as refusal:
            is_pending = refusal.status == 503
            page = self.show(
                "missing", status=refusal.status, refusal=refusal, is_pending=is_pending
            )
            if refusal.seconds:
                page["Retry-After"] = str(refusal.seconds)
            return page

    def step(self, label: str, name: str, *where: Any) -> None:
        """Note a step that was taken; the last one is the page itself."""
        self.crumbs.append(Crumb(label, reverse(name, args=where)))

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return a page with what all pages have."""
        shared = {
            "crumbs": self.crumbs[:-1] if status == 200 else self.crumbs,
            "here": self.crumbs[-1].label if status == 200 else "",
            "unknown_parameters": describe_unknown_parameters(self.request.GET, self.parameters),
        }
        name = f"databrowser/reports/{template}.html"
        return render(self.request, name, {**shared, **context}, status=status)


class ReportKinds(ReportsView):
    """The kinds of reports, each with its years."""

    def get(self, request: HttpRequest) -> HttpResponse:
        years = catalogue.list_report_years()
        kinds = (
            (
                "Aggregate reports",
                "Of an MSA/MD, with the records of all institutions.",
                AGGREGATE,
            ),
            ("Disclosure reports", "Of an institution, in each MSA/MD.", DISCLOSURE),
        )
        return self.show(
            "kinds",
            years=years,
            kinds=[
                (
                    heading,
                    about,
                    [
                        Choice(str(each.year), reverse(f"reports-{kind}", args=[each.year]))
                        for each in years
                    ],
                    list_definitions(kind),
                )
                for heading, about, kind in kinds
            ],
        )


class AggregateStates(ReportsView):
    """The states of the MSA/MDs with aggregate reports of a year."""

    def get(self, request: HttpRequest, year: int) -> HttpResponse:
        source = catalogue.find_year(year)
        _step_to_year(self, year)
        numbers: dict[str, int] = {}
        for msa_md in source.list_msa_mds():
            for state in _states_of(msa_md):
                numbers[state] = numbers.get(state, 0) + 1
        choices = [
            Choice(
                _name_state(source, state),
                reverse("reports-state", args=[year, state]),
                f"{number} MSA/MD{'s' if number > 1 else ''}",
            )
            for state, number in numbers.items()
        ]
        return self.show(
            "choose",
            heading=f"Aggregate reports of {year}",
            question="State",
            choices=sorted(choices, key=lambda choice: choice.label),
            source=source,
        )


class AggregatePlaces(ReportsView):
    """The MSA/MDs of a state with aggregate reports; one in several states is in each of them."""

    def get(self, request: HttpRequest, year: int, state: str) -> HttpResponse:
        source = catalogue.find_year(year)
        _step_to_state(self, source, state)
        places = [each for each in source.list_msa_mds() if state in _states_of(each)]
        if not places:
            raise NotFound(f"There are no aggregate reports of {year} in {state}.")
        return self.show(
            "choose",
            heading=f"Aggregate reports of {year}: {_name_state(source, state)}",
            question="MSA/MD",
            choices=_list_places(places, "reports-msa-md", year, state),
            source=source,
        )


class AggregateReports(ReportsView):
    """The aggregate reports of an MSA/MD."""

    def get(self, request: HttpRequest, year: int, state: str, msa_md: str) -> HttpResponse:
        source = catalogue.find_year(year)
        _step_to_state(self, source, state)
        place = _find_place(source.list_msa_mds(), year, msa_md, state)
        self.step(name_place(place), "reports-msa-md", year, state, place.id)
        return self.show(
            "choose",
            heading=f"Aggregate reports of {year}: {name_place(place)}",
            question="Report",
            choices=_list_reports(AGGREGATE, "report", year, state, place.id),
            source=source,
        )


class DisclosureInstitutions(ReportsView):
    """The institutions with disclosure reports of a year, to search by name or LEI."""

    parameters = ("q", "page")

    def get(self, request: HttpRequest, year: int) -> HttpResponse:
        institutions = catalogue.list_institutions(year)
        _step_to_year(self, year, DISCLOSURE)
        search = " ".join(request.GET.get("q", "").split())
        words = search.upper()
        found = [each for each in institutions if words in each.name.upper() or words in each.lei]
        page = select_page(request.GET.get("page"), len(found), size=PER_PAGE)
        return self.show(
            "institutions",
            year=year,
            search=search,
            total=len(institutions),
            found=len(found),
            page=page,
            choices=[
                Choice(each.name, reverse("reports-institution", args=[year, each.lei]), each.lei)
                for each in found[page.rows]
            ],
        )


class DisclosurePlaces(ReportsView):
    """The MSA/MDs in which an institution has disclosure reports, and the nation."""

    def get(self, request: HttpRequest, year: int, lei: str) -> HttpResponse:
        institution = _step_to_institution(self, year, lei)
        places = _list_places(
            institution.list_msa_mds(), "reports-institution-msa-md", year, institution.lei
        )
        note = "" if documents.is_public(Period(year)) else "for users of the institution"
        nationwide = Choice(
            "Nationwide: Institution Register Summary",
            reverse("irs:page", args=[year, institution.lei]),
            note,
        )
        return self.show(
            "choose",
            heading=f"Disclosure reports of {year}: {institution.name}",
            question="MSA/MD",
            choices=[*places, nationwide],
            source=institution.source,
            institution=institution,
        )


class DisclosureReports(ReportsView):
    """The disclosure reports of an institution in an MSA/MD."""

    def get(self, request: HttpRequest, year: int, lei: str, msa_md: str) -> HttpResponse:
        institution = _step_to_institution(self, year, lei)
        place = _find_place(institution.list_msa_mds(), year, msa_md)
        where = (year, institution.lei, place.id)
        self.step(name_place(place), "reports-institution-msa-md", *where)
        return self.show(
            "choose",
            heading=f"Disclosure reports of {year}: {institution.name}, {name_place(place)}",
            question="Report",
            choices=_list_reports(DISCLOSURE, "disclosure-report", *where),
            source=institution.source,
            institution=institution,
        )


class ReportView(ReportsView):
    """The base of the pages of a report."""

    parameters = ("part",)

    def show_report(self, report: Report, others: list[Choice]) -> HttpResponse:
        """Return the page of a report. others: the reports of the same place."""
        part = self.request.GET.get("part", "1")
        number = int(part) if part.isascii() and part.isdecimal() else 0
        table = ReportTable(report.definition, report.table, number)
        version = report.source.version
        return self.show(
            "report",
            report=report,
            table=table,
            place=name_place(report.msa_md),
            version=version,
            columns=[(column.name, describe_column(column)) for column in COLUMNS],
            others=[other for other in others if other.address != self.request.path],
            is_late=report.institution is not None
            and version.dataset != catalogue.Dataset.SNAPSHOT,
            demo_years=[version.year] if version.is_demo else [],
            notices=describe_unsettled([version.year]),
            calls=tool_pages.build_get_examples(report.href),
        )


class AggregateReport(ReportView):
    """An aggregate report."""

    def get(
        self, request: HttpRequest, year: int, state: str, msa_md: str, report: str
    ) -> HttpResponse:
        source = catalogue.find_year(year)
        _step_to_state(self, source, state)
        place = _find_place(source.list_msa_mds(), year, msa_md, state)
        self.step(name_place(place), "reports-msa-md", year, state, place.id)
        found = catalogue.find_report(year, AGGREGATE, place.id, report)
        self.step(found.title, "report", year, state, place.id, found.definition.code)
        return self.show_report(found, _list_reports(AGGREGATE, "report", year, state, place.id))


class DisclosureReport(ReportView):
    """A disclosure report."""

    def get(
        self, request: HttpRequest, year: int, lei: str, msa_md: str, report: str
    ) -> HttpResponse:
        institution = _step_to_institution(self, year, lei)
        place = _find_place(institution.list_msa_mds(), year, msa_md)
        where = (year, institution.lei, place.id)
        self.step(name_place(place), "reports-institution-msa-md", *where)
        found = catalogue.find_report(year, DISCLOSURE, place.id, report, institution.lei)
        self.step(found.title, "disclosure-report", *where, found.definition.code)
        return self.show_report(found, _list_reports(DISCLOSURE, "disclosure-report", *where))


def name_place(msa_md: MsaMdNames) -> str:
    """Return an MSA/MD as pages name it."""
    if msa_md.id == OUTSIDE_MSA_MD:
        return f"{OUTSIDE_NAME} ({msa_md.id})"
    return f"{msa_md.name} ({msa_md.id})" if msa_md.name else msa_md.id


def find_reports_of_question(question: Question) -> Choice | None:
    """Return the link to the aggregate reports of the one MSA/MD and year of a query, if any."""
    codes = [values for dimension, values in question.places if dimension is MSAMD]
    if len(question.years) != 1 or len(question.places) != 1 or [len(c) for c in codes] != [1]:
        return None
    (year,), ((code,),) = question.years, codes
    try:
        place = _find_place(catalogue.list_msa_mds(year), year, code)
    except Refusal:
        return None
    address = reverse("reports-msa-md", args=[year, _states_of(place)[0], place.id])
    return Choice(f"Aggregate reports of {year}: {name_place(place)}", address)


def _step_to_year(view: ReportsView, year: int, kind: str = AGGREGATE) -> None:
    view.step(f"{kind.capitalize()}, {year}", f"reports-{kind}", year)


def _step_to_state(view: ReportsView, source: ReportSource, state: str) -> None:
    _step_to_year(view, source.year)
    view.step(_name_state(source, state), "reports-state", source.year, state)


def _step_to_institution(view: ReportsView, year: int, lei: str) -> ReportingInstitution:
    """Return an institution, after the steps that lead to it. Raises: NotFound, ReportsPending."""
    institution = catalogue.find_institution(year, lei)
    _step_to_year(view, year, DISCLOSURE)
    view.step(institution.name, "reports-institution", year, institution.lei)
    return institution


def _states_of(msa_md: MsaMdNames) -> tuple[str, ...]:
    return msa_md.states or (UNKNOWN_STATE,)


def _name_state(source: ReportSource, state: str) -> str:
    return source.names.states.get(state) or (
        _UNKNOWN_STATE_NAME if state == UNKNOWN_STATE else state
    )


def _find_place(
    places: Iterable[MsaMdNames], year: int, msa_md: str, state: str = ""
) -> MsaMdNames:
    """Return an MSA/MD of some. state: one that it must lie in. Raises: NotFound."""
    for place in places:
        if place.id == msa_md and (not state or state in _states_of(place)):
            return place
    raise NotFound(catalogue.no_report(msa_md, str(year)))


def _list_places(places: Iterable[MsaMdNames], name: str, *where: Any) -> list[Choice]:
    return [
        Choice(name_place(place), reverse(name, args=[*where, place.id]))
        for place in sorted(places, key=lambda place: (place.id == OUTSIDE_MSA_MD, place.name))
    ]


def _list_reports(kind: str, name: str, *where: Any) -> list[Choice]:
    return [
        Choice(
            f"{each.table}. {each.title}" if each.table.isdigit() else each.title,
            reverse(name, args=[*where, each.code]),
            each.describe(where[0]),
        )
        for each in list_definitions(kind)
    ]

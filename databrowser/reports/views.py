"""The public views of the yearly reports: lists of them, each as JSON and as CSV, all in a ZIP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request

from databrowser.publication.serving import shared_engine
from databrowser.reports import archives, catalogue, openapi
from databrowser.reports.catalogue import Report
from databrowser.reports.cells import MsaMdNames
from databrowser.reports.definitions import AGGREGATE, DISCLOSURE, list_definitions
from filing.api.public import PublicView
from filing.errors import NotFound
from filing.files import responses
from filing.files.responses import StreamedAnswer

JSON = "application/json"
_SUMMARY = "Institution Register Summary"


class ReportYears(PublicView):
    """The years whose reports are public."""

    @openapi.years
    def get(self, request: Request) -> HttpResponseBase:
        years = [
            {
                "year": source.year,
                "dataset": source.dataset,
                "version": source.version.name,
                "frozenAt": source.frozen_on.isoformat() if source.frozen_on else "",
                "reportDate": source.report_date_text,
            }
            for source in catalogue.list_report_years()
        ]
        return responses.answer_json(request, {"years": years})


class ReportMsaMds(PublicView):
    """The MSA/MDs that have aggregate reports."""

    @openapi.msa_mds
    def get(self, request: Request, year: str) -> HttpResponseBase:
        listed = list(map(_list_msa_md, catalogue.list_msa_mds(int(year))))
        return responses.answer_json(request, {"msaMds": listed})


class ReportsOfMsaMd(PublicView):
    """The aggregate reports of an MSA/MD."""

    @openapi.of_msa_md
    def get(self, request: Request, year: str, msa_md: str) -> HttpResponseBase:
        source = catalogue.find_year(int(year))
        names = source.names.msa_mds.get(msa_md)
        if names is None:
            raise NotFound(catalogue.no_report(msa_md, year))
        reports = [
            _list_report(
                each.code,
                each.title,
                each.describe(source.year),
                catalogue.name_address(source.year, msa_md, each),
            )
            for each in list_definitions(AGGREGATE)
        ]
        body = {"msa": source.show_msa_md(names), "reports": reports}
        return responses.answer_json(request, body)


class ReportsOfInstitution(PublicView):
    """The MSA/MDs in which an institution has disclosure reports."""

    @openapi.of_institution
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        institution = catalogue.find_institution(int(year), lei)
        source = institution.source
        summary = f"{catalogue.ADDRESS}/{year}/{DISCLOSURE}/{institution.lei}/nationwide/IRS"
        body = {
            "institution": {"lei": institution.lei, "name": institution.name},
            "dataset": source.dataset,
            "version": source.version.name,
            "reportDate": source.report_date_text,
            "msaMds": list(map(_list_msa_md, institution.list_msa_mds())),
            "nationwide": _list_report("IRS", _SUMMARY, "", summary),
        }
        return responses.answer_json(request, body)


class ReportView(PublicView):
    """The base of the addresses of a report."""

    def find(self, **where: str) -> Report:
        """Return the report of an address. Raises: NotFound, ReportsPending."""
        kind = DISCLOSURE if "lei" in where else AGGREGATE
        lei = where.get("lei", "")
        return catalogue.find_report(
            int(where["year"]), kind, where["msa_md"], where["report"], lei
        )

    def answer_json(self, request: Request, **where: str) -> HttpResponseBase:
        """Return a report as JSON, or 304 if the caller already has it."""
        report = self.find(**where)
        return responses.answer_conditionally(
            request,
            report.make_etag(JSON),
            lambda: HttpResponse(report.json, content_type=JSON),
        )

    def answer_csv(self, request: Request, **where: str) -> HttpResponseBase:
        """Return a report as a CSV file to save, or 304 if the caller already has it."""
        report = self.find(**where)
        has_heading = request.query_params.get("head", "").lower() == "true"
        return responses.answer_conditionally(
            request,
            report.make_etag(responses.CSV, has_heading),
            lambda: responses.make_attachment(
                report.csv_name,
                HttpResponse(report.write_csv(has_heading=has_heading), content_type=responses.CSV),
            ),
        )


class AggregateReport(ReportView):
    """An aggregate report as JSON."""

    @openapi.report(AGGREGATE)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_json(request, **where)


class AggregateCsv(ReportView):
    """An aggregate report as CSV."""

    @openapi.report(AGGREGATE, is_csv=True)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_csv(request, **where)


class DisclosureReport(ReportView):
    """A disclosure report as JSON."""

    @openapi.report(DISCLOSURE)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_json(request, **where)


class DisclosureCsv(ReportView):
    """A disclosure report as CSV."""

    @openapi.report(DISCLOSURE, is_csv=True)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_csv(request, **where)


class AggregateReportByOlderAddress(ReportView):
    """An aggregate report at the address of the former file server."""

    @openapi.report(AGGREGATE, is_older=True)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_json(request, **where)


class DisclosureReportByOlderAddress(ReportView):
    """A disclosure report at the address of the former file server."""

    @openapi.report(DISCLOSURE, is_older=True)
    def get(self, request: Request, **where: str) -> HttpResponseBase:
        return self.answer_json(request, **where)


class ReportArchive(PublicView):
    """All aggregate reports of a year."""

    @openapi.archive
    def get(self, request: Request, year: str) -> HttpResponseBase:
        source = catalogue.find_year(int(year))

        def answer() -> HttpResponseBase:
            with ExitStack() as resources:
                resources.enter_context(shared_engine().download_slots.take())
                pieces: StreamedAnswer[bytes] = StreamedAnswer(
                    lambda: _pieces(request, source), resources
                )
            name = f"aggregate-reports-{source.version.name}.zip"
            return responses.stream_attachment(name, pieces, content_type="application/zip")

        etag = catalogue.make_etag(source, "all.zip")
        return responses.answer_conditionally(request, etag, answer)


def _pieces(request: Request, source: catalogue.ReportSource) -> Iterator[bytes]:
    return iter(()) if request.method == "HEAD" else archives.write_archive(source)


def _list_msa_md(names: MsaMdNames) -> dict[str, Any]:
    return {"id": names.id, "name": names.name, "states": list(names.states)}


def _list_report(code: str, title: str, description: str, href: str) -> dict[str, str]:
    return {
        "id": code,
        "title": title,
        "description": description,
        "href": href,
        "csv": f"{href}/csv",
    }

"""The addresses that anyone may use before filing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import institutions, uploads
from filing.edits import catalogue
from filing.edits.edit import Edit, Kind
from filing.errors import BadInput, NotFound
from filing.lar.period import Period
from publicapi import api, checks
from publicapi import serializers as shapes


class PublicView(APIView):
    """What all of these addresses share: nobody is asked who they are."""

    authentication_classes = []
    permission_classes = [AllowAny]

    def finalize_response(self, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(*args, **options)
        response["Cache-Control"] = "no-cache"
        return response


class ValidateFile(PublicView):
    """A whole file, checked by the edits of a period."""

    parser_classes = [MultiPartParser]

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        if response.status_code >= 400:
            uploads.drain(request)
        return super().finalize_response(request, response, *args, **options)

    @api.validate_file
    def post(self, request: Request, year: str, quarter: str | None = None) -> HttpResponseBase:
        period = checks.period(year, quarter)
        wanted = checks.edits(period, request.query_params.get("check"))
        with ExitStack() as held:
            rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
            upload = held.enter_context(uploads.received(request, rules))
            found = checks.FileFindings(upload, period, wanted, held)
        return StreamingHttpResponse(found, content_type="application/json")


@extend_schema(exclude=True)
class ValidateFileByOlderName(ValidateFile):
    """The same under the older word in its address; described once."""


class Institutions(PublicView):
    """The institutions whose users have addresses in a mail domain."""

    @api.institutions
    def get(self, request: Request) -> Response:
        domain = request.query_params.get("domain", "").strip()
        if not domain:
            raise BadInput("Name a mail domain, such as domain=bank.example.")
        found = institutions.of_mail_domain(domain)
        if not found:
            raise NotFound(f"There is no institution with the mail domain {domain[:100]}")
        return Response(shapes.PublicInstitutions({"institutions": found}).data)


class Edits(PublicView):
    """The book of edits."""

    @api.edit_book
    def get(self, request: Request) -> Response:
        return _book(catalogue.EDITS, request)


class EditEntries(PublicView):
    """All that the book says of one edit."""

    @api.edit_entries
    def get(self, request: Request, code: str) -> Response:
        entries = [edit for edit in catalogue.EDITS if edit.code == code]
        if not entries:
            raise NotFound(f"There is no edit {code}")
        return _book(entries, request)


def _book(entries: Iterable[Edit], request: Request) -> Response:
    """Return the entries that are of the period and of the kind asked for, if any are."""
    asked = request.query_params
    period, kind = _period(asked.get("year"), asked.get("quarter")), _kind(asked.get("kind"))
    chosen = [
        edit
        for edit in entries
        if kind in {None, edit.kind} and (period is None or edit.runs_in(period))
    ]
    return Response({"edits": shapes.EditEntryBody(chosen, many=True).data, "total": len(chosen)})


def _kind(name: str | None) -> Kind | None:
    kinds = {kind.value: kind for kind in Kind}
    if name and name not in kinds:
        raise BadInput(f"The kind {name!r} is unknown: it is one of {', '.join(kinds)}.")
    return kinds[name] if name else None


def _period(year: str | None, quarter: str | None) -> Period | None:
    if not year:
        if quarter:
            raise BadInput("A quarter needs its year, such as year=2024&quarter=Q1.")
        return None
    if not year.isdecimal():
        raise BadInput(f"The year {year!r} is not a number such as 2024.")
    if quarter and quarter not in ("Q1", "Q2", "Q3"):
        raise BadInput(f"The quarter {quarter!r} is unknown: it is one of Q1, Q2, Q3.")
    return checks.period(year, quarter)

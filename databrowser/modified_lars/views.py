"""The public views of modified LAR files and of the data dictionary."""

from __future__ import annotations

import csv
import io

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import ModifiedLar as StoredLar
from databrowser.modified_lars import files, openapi
from databrowser.modified_lars import serializers as shapes
from databrowser.publication.records import dictionary
from filing.api.public import PublicView
from filing.errors import BadInput, NotFound
from filing.files import conditional
from filing.lar.years import Stage, supported_years

_CONTENT = {"txt": "text/plain; charset=UTF-8", "csv": "text/csv; charset=UTF-8"}


class FileView(PublicView):
    """The base of all views of a modified LAR. header: whether the file has a header line."""

    header = False

    def answer(self, request: Request, year: str, lei: str, form: str) -> HttpResponseBase:
        """Return the file, or 304 if the caller already has it.

        Raises: BadInput for a year without data; NotFound where nothing was filed and signed.
        """
        if year not in map(str, supported_years(Stage.FILING)):
            raise BadInput(openapi.no_year(year[:10]))
        lar = files.latest(int(year), lei.upper())
        if lar is None:
            raise NotFound(openapi.no_file(year, lei[:20]))
        marks = [lar.sha256, form, *(["header"] if self.header else [])]
        etag = quote_etag("-".join(marks))
        return conditional.answered(request, etag, lambda: self._file(lar, lei.upper(), form))

    def _file(self, lar: StoredLar, lei: str, form: str) -> StreamingHttpResponse:
        pieces = files.Pieces(lar, form=form, header=self.header)
        response = StreamingHttpResponse(pieces, content_type=_CONTENT[form])
        name = f"{lei}{'_header' if self.header else ''}.{form}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


class ModifiedLar(FileView):
    """The file, pipe-delimited, at the address without a format."""

    @openapi.modified_lar("Download a modified LAR")
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        return self.answer(request, year, lei, "txt")


class ModifiedLarWithHeader(FileView):
    """The same with a header line."""

    header = True

    @openapi.modified_lar("Download a modified LAR with its header")
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        return self.answer(request, year, lei, "txt")


class ModifiedLarInForm(FileView):
    """The file as pipe-delimited text or as CSV."""

    @openapi.modified_lar("Download a modified LAR as text or CSV", form=True)
    def get(self, request: Request, year: str, lei: str, form: str) -> HttpResponseBase:
        return self.answer(request, year, lei, form)


class ModifiedLarInFormWithHeader(FileView):
    """The same with a header line."""

    header = True

    @openapi.modified_lar("Download a modified LAR as text or CSV with its header", form=True)
    def get(self, request: Request, year: str, lei: str, form: str) -> HttpResponseBase:
        return self.answer(request, year, lei, form)


class FileOfInstitution(FileView):
    """The file at its older address."""

    @openapi.modified_lar("Download a modified LAR by its older address", form=True)
    def get(self, request: Request, year: str, lei: str, form: str) -> HttpResponseBase:
        return self.answer(request, year, lei, form)


class FileOfInstitutionWithHeader(FileView):
    """The same with a header line."""

    header = True

    @openapi.modified_lar("Download a modified LAR with its header by its older address", form=True)
    def get(self, request: Request, year: str, lei: str, form: str) -> HttpResponseBase:
        return self.answer(request, year, lei, form)


class DataDictionary(PublicView):
    """The data dictionary as JSON."""

    @openapi.dictionary
    def get(self, request: Request) -> Response:
        return Response(shapes.DataDictionary({"columns": dictionary.entries()}).data)


class DataDictionaryCsv(PublicView):
    """The data dictionary as CSV."""

    @openapi.dictionary_csv
    def get(self, request: Request) -> HttpResponse:
        columns = shapes.PublicColumn(dictionary.entries(), many=True).data
        text = io.StringIO()
        writer = csv.DictWriter(text, list(columns[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(columns)
        response = HttpResponse(text.getvalue(), content_type=_CONTENT["csv"])
        response["Content-Disposition"] = 'attachment; filename="public-loans-dictionary.csv"'
        return response

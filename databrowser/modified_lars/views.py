"""The public views of modified LAR files and of the data dictionary.

A file is streamed in bounded memory.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import polars as pl
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import quote_etag
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.models import ModifiedLar
from databrowser.modified_lars import openapi
from databrowser.modified_lars import serializers as shapes
from databrowser.publication.columns import MODIFIED
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import pq
from databrowser.publication.records import dictionary
from filing import storage
from filing.api.public import PublicView
from filing.errors import BadInput, NotFound
from filing.files import responses
from filing.lar.years import YearStage, supported_years

_CONTENT = {"txt": "text/plain; charset=UTF-8", "csv": "text/csv; charset=UTF-8"}
# The separator of the values in a file, by its extension.
SEPARATORS = {"txt": "|", "csv": ","}
_ROWS = 8_192  # written as text at a time
_AMOUNT = pl.col("loan_amount")
# Midpoints are whole numbers; the fallback is for amounts too large for any integer type.
_WHOLE = pl.coalesce(_AMOUNT.cast(pl.Int128, strict=False).cast(pl.String), _AMOUNT.cast(pl.String))


class FileView(PublicView):
    """The base of all views of a modified LAR. header: whether the file has a header line."""

    header = False

    def get(self, request: Request, year: str, lei: str, form: str = "txt") -> HttpResponseBase:
        """Return the file, or 304 if the caller already has it.

        Raises: BadInput for a year without data; NotFound where nothing was filed and signed.
        """
        if year not in map(str, supported_years(YearStage.FILING)):
            raise BadInput(openapi.no_year(year[:10]))
        lar = find_latest_lar(int(year), lei.upper())
        if lar is None:
            raise NotFound(openapi.no_file(year, lei[:20]))
        marks = [lar.sha256, form, *(["header"] if self.header else [])]
        etag = quote_etag("-".join(marks))
        return responses.answer_conditionally(
            request, etag, lambda: self._file(lar, lei.upper(), form)
        )

    def _file(self, lar: ModifiedLar, lei: str, form: str) -> StreamingHttpResponse:
        pieces = ModifiedLarPieces(lar, form=form, header=self.header)
        response = StreamingHttpResponse(pieces, content_type=_CONTENT[form])
        name = f"{lei}{'_header' if self.header else ''}.{form}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


@openapi.modified_lar("Download a modified LAR")
class ModifiedLarView(FileView):
    """The file, pipe-delimited, at the address without a format."""


@openapi.modified_lar("Download a modified LAR with its header")
class ModifiedLarWithHeader(FileView):
    """The same with a header line."""

    header = True


@openapi.modified_lar("Download a modified LAR as text or CSV", form=True)
class ModifiedLarInForm(FileView):
    """The file as pipe-delimited text or as CSV."""


@openapi.modified_lar("Download a modified LAR as text or CSV with its header", form=True)
class ModifiedLarInFormWithHeader(FileView):
    """The same with a header line."""

    header = True


@openapi.modified_lar("Download a modified LAR by its older address", form=True)
class FileOfInstitution(FileView):
    """The file at its older address."""


@openapi.modified_lar("Download a modified LAR with its header by its older address", form=True)
class FileOfInstitutionWithHeader(FileView):
    """The same with a header line."""

    header = True


class DataDictionaryView(PublicView):
    """The data dictionary as JSON."""

    @openapi.dictionary
    def get(self, request: Request) -> Response:
        return Response(shapes.DataDictionary({"columns": dictionary.dictionary_entries()}).data)


class DataDictionaryCsvView(PublicView):
    """The data dictionary as CSV."""

    @openapi.dictionary_csv
    def get(self, request: Request) -> HttpResponse:
        columns = shapes.PublicColumn(dictionary.dictionary_entries(), many=True).data
        text = io.StringIO()
        writer = csv.DictWriter(text, list(columns[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(columns)
        response = HttpResponse(text.getvalue(), content_type=_CONTENT["csv"])
        response["Content-Disposition"] = 'attachment; filename="public-loans-dictionary.csv"'
        return response


def find_latest_lar(year: int, lei: str) -> ModifiedLar | None:
    """Return the modified LAR in use of the annual filing of an institution, or None."""
    lars = ModifiedLar.objects.annual().public()
    return lars.filter(
        submission__filing__period__year=year, submission__filing__institution__lei=lei
    ).first()


class ModifiedLarPieces:
    """The pieces of a modified LAR file; lines end in a line feed and are sorted by place.

    form: one of `SEPARATORS`. The stored file is opened at once, so a missing one is noticed before
    the response begins. Hand it to a streaming response, which closes it.
    """

    def __init__(self, lar: ModifiedLar, *, form: str, header: bool) -> None:
        self._file = pq.ParquetFile(storage.open_local_copy(f"{lar.folder}/{LOANS}"))
        self._separator, self._header = SEPARATORS[form], header

    def __iter__(self) -> Iterator[bytes]:
        if self._header:
            yield (self._separator.join(MODIFIED.values()) + "\n").encode()
        for batch in self._file.iter_batches(batch_size=_ROWS, columns=list(MODIFIED)):
            rows = pl.DataFrame(batch).select(
                (_WHOLE if name == "loan_amount" else pl.col(name)).alias(published)
                for name, published in MODIFIED.items()
            )
            # There are no free-form texts, so no value contains a quote or a separator.
            text = rows.write_csv(
                separator=self._separator, include_header=False, quote_style="never"
            )
            yield text.encode()

    def close(self) -> None:
        """Close the stored file."""
        self._file.close()

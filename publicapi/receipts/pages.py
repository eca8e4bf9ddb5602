"""The public page that checks a receipt number, a receipt file or a filed file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing.errors import BadInput
from filing.pages.upload import UploadPage
from filing.receipts import checking
from filing.receipts.checking import Answer
from filing.submissions import uploads
from filing.submissions.reception import Upload
from publicapi.receipts.forms import ContentForm, NumberForm

# What is checked, and the id of its input.
NUMBER, CONTENT, FILED = "number", "content", "filed"
_INPUTS = {NUMBER: "id_receipt", CONTENT: "receipt-file", FILED: "filed-file"}


class CheckReceipt(UploadPage):
    """The page that checks receipts."""

    http_method_names = ["get", "post"]

    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        super().setup(request, *args, **where)
        self._kind = NUMBER
        self._number = ""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        if request.content_type != "multipart/form-data":
            return self.page(answer=self._result(request.POST, None))
        body = Request(request, parsers=[MultiPartParser()])
        rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
        with uploads.received_form(body, rules) as (handler, fields):  # deletes the file at the end
            is_empty = handler.upload is None and not handler.refusal and not handler.size
            upload = None if is_empty else uploads.received_file(body, handler, fields)
            return self.page(answer=self._result(fields, upload))

    def _result(self, fields: Mapping[str, Any], upload: Upload | None) -> Answer:
        """Return the result for the form that was sent.

        Raises: BadInput, NotFound.
        """
        kind = fields.get("kind")
        if kind == CONTENT:
            self._kind = CONTENT
            return checking.check(_content(upload, str(fields.get("content", "")).strip()))
        if kind == FILED or "sha256" in fields:
            self._kind = FILED
            if upload is None and "sha256" not in fields:
                raise BadInput("Choose the file that was filed.")
            # Our script sends no file, but the hash that it has computed.
            return checking.of_sha256(upload.sha256 if upload else fields["sha256"])
        self._number = str(fields.get("receipt", "")).strip()
        if not self._number:
            raise BadInput("Enter a receipt number.")
        return checking.of_number(self._number)

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page, or to its script only the answer."""
        live = "HX-Request" in self.request.headers
        context = {
            "number_form": NumberForm(initial={"receipt": self._number}),
            "content_form": ContentForm(),
            "kind": self._kind,
            "input": _INPUTS[self._kind],
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            **more,
        }
        if live:
            return render(self.request, "publicapi/receipt_answer.html", context)
        return render(self.request, "publicapi/check_receipt.html", context, status=status)


def _content(upload: Upload | None, pasted: str) -> bytes:
    """Return a receipt file that was uploaded or, without the blanks around it, pasted.

    Raises: BadInput.
    """
    if pasted:
        return pasted.encode(errors="replace")
    if upload is None:
        raise BadInput("Choose a receipt file, or paste its content.")
    if upload.size > checking.FILE_BYTES:
        raise BadInput(
            f"The file has {upload.size} bytes, far more than a receipt; choose the receipt file."
        )
    return upload.path.read_bytes()

"""Checks of receipts: the API, the page for a receipt or a filed file, and the public keys.

The keys, which verify receipts, are a JSON Web Key Set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import LEI, refused
from filing.api.public import PublicView
from filing.api.views.base import ToolJSON
from filing.audit import keys
from filing.errors import BadInput
from filing.files import responses
from filing.pages.tool_pages import UploadPage
from filing.receipts import checking
from filing.receipts.checking import ReceiptAnswer
from filing.submissions import receipt_description, uploads
from filing.submissions.receipt_description import ReceiptDescription
from filing.submissions.reception import ReceivedFile
from publicapi.openapi import describe_operation
from publicapi.serializers import EditsNotRun

_PLAIN = {"autocomplete": "off", "spellcheck": "false"}
_HASH = "ab" * 32
_ABOUT = (
    "The answer never names the signer or the file. Keys to verify receipts without this service "
    "are at `/.well-known/receipt-keys.json`. At most `LIMIT_RECEIPT_CHECK` checks per address."
)
# What is checked, and the id of its input.
NUMBER, CONTENT, FILED = "number", "content", "filed"
_INPUTS = {NUMBER: "id_receipt", CONTENT: "receipt-file", FILED: "filed-file"}
FRESH_SECONDS = 300  # a new key must be known soon after it has signed its first receipt


class ReceiptNumberForm(forms.Form):
    """The number of a receipt."""

    receipt = forms.CharField(
        label="Receipt number",
        help_text="As on the receipt, such as 529900EXAMPLELEI0001-2024-1-1740000000000.",
        max_length=200,
        widget=forms.TextInput(attrs=_PLAIN),
    )


class ReceiptContentForm(forms.Form):
    """The content of a receipt file."""

    content = forms.CharField(
        required=False,
        label="Or paste its content",
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 4}),
    )


class ReceiptCheck(serializers.Serializer[Any]):
    """The result of a check. If the receipt is not genuine, all values but its number are null."""

    receipt = serializers.CharField(allow_null=True, help_text="The receipt number.")
    genuine = serializers.BooleanField(
        help_text="Whether this service issued the receipt, and it was not changed."
    )
    lei = serializers.CharField(allow_null=True)
    period = serializers.CharField(allow_null=True, help_text="2024, or 2024-Q1.")
    sha256 = serializers.CharField(allow_null=True, help_text="Of the file that was filed.")
    records = serializers.IntegerField(allow_null=True)
    signedAt = serializers.DateTimeField(allow_null=True)
    replacedBy = serializers.CharField(
        allow_null=True,
        help_text="The number of the newest receipt for the same filing, if it is a later one.",
    )
    editsNotRun = EditsNotRun(
        many=True,
        allow_null=True,
        help_text="Null if the service does not know the submission any more.",
    )
    censusStandIn = serializers.IntegerField(
        allow_null=True,
        help_text="The year of the census that checked the file in place of one of its data year.",
    )
    message = serializers.CharField(
        required=False, help_text="Only if it is not genuine: what is wrong."
    )


receipt_schema = describe_operation(
    "Check a receipt number",
    {
        200: ReceiptCheck,
        404: refused(f"There is no receipt {LEI}-2024-1-1700000000000"),
    },
    description=_ABOUT,
)
check_receipt_schema = describe_operation(
    "Check a receipt or a filed file",
    {
        200: ReceiptCheck,
        400: refused(
            "This is not JSON. Send a receipt file as it was downloaded, or "
            '{"sha256": "…"} with the 64 hexadecimal digits of a file\'s SHA-256.',
            "'sha256' must be the 64 hexadecimal digits of a SHA-256.",
        ),
        404: refused(f"No file with the SHA-256 {_HASH} was filed"),
        413: refused("The JSON is larger than 1048576 bytes, the most taken here."),
    },
    request={
        "application/json": {
            "oneOf": [
                {
                    "type": "object",
                    "description": "A receipt file, byte for byte as it was downloaded.",
                    "properties": {
                        "receipt": {"type": "string"},
                        "lei": {"type": "string"},
                        "period": {"type": "string"},
                        "sha256": {"type": "string"},
                        "records": {"type": "integer"},
                        "signedAt": {"type": "string"},
                        "proof": {"type": "string", "description": "A compact JWS (RFC 7515)."},
                    },
                    "required": [
                        *("receipt", "lei", "period", "sha256", "records", "signedAt", "proof")
                    ],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "description": "The hash of a file.",
                    "properties": {"sha256": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"}},
                    "required": ["sha256"],
                    "additionalProperties": False,
                },
            ]
        }
    },
    description=(
        "A receipt file is genuine only byte for byte: send the file itself, not its values "
        f"written again by another program. {_ABOUT}"
    ),
)


def describe_answer(answer: ReceiptAnswer) -> ReceiptDescription | None:
    """Return what is said of a genuine receipt; none where the database does not know it."""
    signature = checking.find_signature(answer.receipt) if answer.genuine else None
    return receipt_description.describe_receipt(signature) if signature else None


def write_answer(answer: ReceiptAnswer) -> dict[str, Any]:
    """Return the result of a check as the API gives it."""
    description = describe_answer(answer)
    unchecked = description.as_json() if description else {}
    return {**answer.as_json(), "editsNotRun": None, "censusStandIn": None, **unchecked}


class ReceiptView(PublicView):
    """A receipt by its number."""

    @receipt_schema
    def get(self, request: Request, receipt: str) -> Response:
        return Response(write_answer(checking.check_receipt_number(receipt)))


class UnreadJSON(ToolJSON):
    """Leaves JSON as the bytes that were sent, of which each one counts."""

    def value_of(self, body: bytes, *args: Any, **options: Any) -> Any:
        return body


class CheckReceiptView(PublicView):
    """A receipt file, or the hash of a file."""

    parser_classes = [UnreadJSON]

    @check_receipt_schema
    def post(self, request: Request) -> Response:
        body = request.data if isinstance(request.data, bytes) else b""
        return Response(write_answer(checking.check_receipt(body)))


class CheckReceiptPage(UploadPage):
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
        rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT)
        with uploads.receive_form(body, rules) as (handler, fields):  # deletes the file at the end
            is_empty = handler.upload is None and not handler.refusal and not handler.size
            upload = None if is_empty else uploads.find_received_file(body, handler, fields)
            return self.page(answer=self._result(fields, upload))

    def _result(self, fields: Mapping[str, Any], upload: ReceivedFile | None) -> ReceiptAnswer:
        """Return the result for the form that was sent.

        Raises: BadInput, NotFound.
        """
        kind = fields.get("kind")
        if kind == CONTENT:
            self._kind = CONTENT
            return checking.check_receipt(_content(upload, str(fields.get("content", "")).strip()))
        if kind == FILED or "sha256" in fields:
            self._kind = FILED
            if upload is None and "sha256" not in fields:
                raise BadInput("Choose the file that was filed.")
            # Our script sends no file, but the hash that it has computed.
            return checking.check_file_hash(upload.sha256 if upload else fields["sha256"])
        self._number = str(fields.get("receipt", "")).strip()
        if not self._number:
            raise BadInput("Enter a receipt number.")
        return checking.check_receipt_number(self._number)

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page, or to its script only the answer."""
        live = "HX-Request" in self.request.headers
        context = {
            "number_form": ReceiptNumberForm(initial={"receipt": self._number}),
            "content_form": ReceiptContentForm(),
            "kind": self._kind,
            "input": _INPUTS[self._kind],
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            **more,
        }
        if answer := more.get("answer"):
            context["description"] = describe_answer(answer)
        if live:
            return render(self.request, "publicapi/receipt_answer.html", context)
        return render(self.request, "publicapi/check_receipt.html", context, status=status)


def _content(upload: ReceivedFile | None, pasted: str) -> bytes:
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


@require_safe
def list_receipt_keys(request: HttpRequest) -> HttpResponseBase:
    """Answer with the public keys of all receipts, those of replaced keys too.

    Source: RFC 7517, section 5; RFC 8037, section 2.
    """
    body = json.dumps({"keys": [key.jwk for key in keys.list_public_keys()]}).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response = responses.answer_conditionally(
        request, etag, lambda: HttpResponse(body, content_type="application/jwk-set+json")
    )
    response["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    return response

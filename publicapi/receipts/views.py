"""The views that check receipts."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.api.views.base import ToolJSON
from filing.receipts import checking
from publicapi.receipts import openapi


class OneReceipt(PublicView):
    """A receipt by its number."""

    @openapi.receipt
    def get(self, request: Request, receipt: str) -> Response:
        return Response(checking.of_number(receipt).as_json())


class UnreadJSON(ToolJSON):
    """Leaves JSON as the bytes that were sent, of which each one counts."""

    def value_of(self, body: bytes, *args: Any, **options: Any) -> Any:
        return body


class CheckReceipt(PublicView):
    """A receipt file, or the hash of a file."""

    parser_classes = [UnreadJSON]

    @openapi.check
    def post(self, request: Request) -> Response:
        body = request.data if isinstance(request.data, bytes) else b""
        return Response(checking.check(body).as_json())

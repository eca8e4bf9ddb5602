"""Answers of one type each, whatever a caller accepts."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request


class AnyAccept(DefaultContentNegotiation):
    """Refusals are JSON, and `format` in the address is a parameter of the call."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return JSONRenderer(), JSONRenderer.media_type

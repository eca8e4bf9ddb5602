"""The API document of the service, as it is served, made once in each process of the tests."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from config.management.commands import build_docs


@cache
def api_document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(build_docs.openapi())
    return document

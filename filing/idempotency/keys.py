"""Idempotency keys: which are valid, new ones for forms, and what each belongs to."""

from __future__ import annotations

import hashlib
import json
import re
import uuid

from django.http import HttpRequest

from filing.access import Caller
from filing.errors import BadInput

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"  # a header of answers that were given before
FIELD = "idempotency_key"  # of a form
LONGEST = 255  # characters
_VALID = re.compile(rf"[\x20-\x7e]{{1,{LONGEST}}}")
_RULE = f"enter 1 to {LONGEST} printable ASCII characters, such as a UUID."


def of_header(request: HttpRequest) -> str | None:
    """Return the key that a program sends, None without one.

    Raises: BadInput.
    """
    return _required(request.headers.get(HEADER), name=HEADER)


def of_form(request: HttpRequest) -> str | None:
    """Return the key of a form, or of the script of a page, which sends a header; None without.

    Raises: BadInput.
    """
    key = request.POST.get(FIELD)
    return of_header(request) if key is None else _required(key, name=FIELD)


def new() -> str:
    """Return a key that no other form has."""
    return uuid.uuid4().hex


def digest(key: str, request: HttpRequest, caller: Caller) -> str:
    """Return what a key belongs to as one SHA-256: user, method, address with query, and key."""
    query = request.META.get("QUERY_STRING", "")
    address = [request.path.rstrip("/"), query]
    belongs_to = [caller.issuer, caller.id, request.method, *address, key]
    return hashlib.sha256(json.dumps(belongs_to).encode()).hexdigest()


def _required(key: str | None, *, name: str) -> str | None:
    if key is None or _VALID.fullmatch(key):
        return key
    fault = "is empty" if not key else f"has {len(key)} characters"
    if key and len(key) <= LONGEST:
        fault = "has a character that is not printable ASCII"
    raise BadInput(f"{name} {fault}; {_RULE}")

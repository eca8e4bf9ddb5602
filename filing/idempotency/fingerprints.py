"""Fingerprints of request bodies: two bodies with the same one ask for the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from django.http import HttpRequest, QueryDict, UnreadablePostError

from filing.errors import BadInput, TooLarge

_NOT_ASKED = ("csrfmiddlewaretoken", "idempotency_key")  # they differ from page to page


def of_body(request: HttpRequest, *, limit: int, headers: Sequence[str] = ()) -> str:
    """Return the fingerprint of a small body, as SHA-256 of its bytes.

    limit: the most bytes taken. headers: those that ask for something as well. In a multipart body,
    the boundary does not count.

    Raises: TooLarge; BadInput for a body that did not arrive whole.
    """
    length = request.META.get("CONTENT_LENGTH") or "0"
    expected = int(length) if length.isdecimal() else 0
    if expected > limit:
        raise TooLarge(f"The body is larger than {limit} bytes, the most taken here.")
    try:
        body = request.body
    except UnreadablePostError:
        body = b""
    if len(body) < expected:
        raise BadInput(f"The request ended after {len(body)} of {expected} bytes. Send it again.")
    boundary = (request.content_params or {}).get("boundary", "").encode()
    digest = hashlib.sha256(body.replace(boundary, b"") if boundary else body)
    if headers:
        digest.update(json.dumps([request.headers.get(name) for name in headers]).encode())
    return digest.hexdigest()


def of_form(fields: QueryDict, files: Iterable[tuple[str, str]] = ()) -> str:
    """Return the fingerprint of a form: of its fields, and the names and SHA-256 of its files."""
    asked = sorted((name, values) for name, values in fields.lists() if name not in _NOT_ASKED)
    content = json.dumps([asked, sorted(files)])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

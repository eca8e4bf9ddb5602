"""The public keys that verify receipts, as a JSON Web Key Set."""

from __future__ import annotations

import hashlib
import json

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from filing.files import conditional
from filing.receipts import keys

FRESH_SECONDS = 300  # a new key must be known soon after it has signed its first receipt


@require_safe
def receipt_keys(request: HttpRequest) -> HttpResponseBase:
    """Answer with the public keys of all receipts, those of replaced keys too.

    Source: RFC 7517, section 5; RFC 8037, section 2.
    """
    body = json.dumps({"keys": [key.jwk for key in keys.published()]}).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response = conditional.answered(
        request, etag, lambda: HttpResponse(body, content_type="application/jwk-set+json")
    )
    response["Cache-Control"] = f"public, max-age={FRESH_SECONDS}"
    return response

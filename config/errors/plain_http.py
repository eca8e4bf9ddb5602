"""Refuses API calls without TLS on a public site: a redirect would hide the mistake.

A program whose call is redirected to https goes on working, and sends its token unencrypted every
time. Pages are redirected.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from config.errors.areas import area_of
from config.errors.bodies import body

REFUSAL = (
    "This API answers over https only. If you sent a token, others may have read it: revoke it, "
    "and correct the address."
)


def refuse_calls_without_tls(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse API calls over http, where pages are redirected (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        is_plain = settings.SECURE_SSL_REDIRECT and not request.is_secure()
        if not is_plain or area_of(request.path) is None or _is_exempt(request.path):
            return get_response(request)
        return JsonResponse(body(request, 403, REFUSAL), status=403)

    return respond


def _is_exempt(path: str) -> bool:
    exempt = settings.SECURE_REDIRECT_EXEMPT
    return any(re.search(pattern, path.removeprefix("/")) for pattern in exempt)

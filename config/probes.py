"""What load balancers, containers and process managers ask: is it alive, is it ready?

They ask the process itself, by whatever name or address it has for them. So these answers come
before host names are looked at, requests counted or sent to https, and sessions read.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.exceptions import APIException

from config import away, readiness
from config.identity import bearer
from filing import access
from filing.people import personal_tokens

Answer = Callable[[HttpRequest], HttpResponseBase]


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer that the process answers, and touch nothing else."""
    return JsonResponse({"alive": True})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer whether the service can do its work: 200 or 503. Staff learn why not."""
    reasons = readiness.reasons()
    is_ready = not any(reasons.values())
    answer: dict[str, Any] = {"ready": is_ready}
    if _is_staff(request, has_database=not reasons["database"]):
        answer["parts"] = {
            name: {"ready": not reason} | ({"reason": reason} if reason else {})
            for name, reason in reasons.items()
        }
    response = JsonResponse(answer, status=200 if is_ready else 503)
    if not is_ready:
        response["Retry-After"] = str(away.RETRY_SECONDS)
    # The log has each reason once; the framework would add an error for every probe.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


PROBES: dict[str, Answer] = {"/healthz": healthz, "/readyz": readyz}


def answering_probes(answer: Answer) -> Answer:
    """Answer probes before anything else is looked at (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        return PROBES.get(request.path_info, answer)(request)

    return respond


def _is_staff(request: HttpRequest, *, has_database: bool) -> bool:
    """Tell whether staff ask. Without the database only a token proves it: it is verified here."""
    return _has_token_of_staff(request) or (has_database and _has_session_of_staff(request))


def _has_token_of_staff(request: HttpRequest) -> bool:
    if personal_tokens.PREFIX in request.headers.get("Authorization", ""):
        return False  # brings no role, and would have to be looked up
    try:
        proven = bearer.proven(request)
    except APIException:
        return False
    return proven is not None and access.is_staff(proven[0])


def _has_session_of_staff(request: HttpRequest) -> bool:
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return False
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    try:
        user = auth.get_user(request)
    except Error:
        return False
    return user.is_active and getattr(user, "is_staff", False)

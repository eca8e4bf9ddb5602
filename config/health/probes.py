"""Probes of load balancers, containers and process managers: is the service alive, is it ready?

They call the process itself, by whatever host name or address. So they are answered before host
names are checked, requests counted or redirected to https, and sessions read.
"""

from __future__ import annotations

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

from config.errors import pages
from config.health import readiness
from config.identity import bearer
from config.requests.middleware import Handler
from config.running import data_folder
from filing import access
from filing.people import personal_tokens


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer that the process is alive, and which data folder it has; check nothing else."""
    folder = data_folder.identify_folder(settings.DATA_DIR)
    return JsonResponse({"alive": True}, headers={data_folder.FOLDER_HEADER: folder})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer whether the service is ready: 200 or 503. Staff also see why not."""
    faults = readiness.find_faults()
    is_ready = not any(faults[name] for name in faults.keys() - readiness.MAY_BE_AWAY)
    answer: dict[str, Any] = {"ready": is_ready}
    if _is_staff(request, has_database=not faults["database"]):
        answer["parts"] = {
            name: {"ready": not fault} | ({"reason": fault} if fault else {})
            for name, fault in faults.items()
        }
    response = JsonResponse(answer, status=200 if is_ready else 503)
    if not is_ready:
        response["Retry-After"] = str(pages.RETRY_SECONDS)
    # Each reason is logged once; the framework would log an error for every probe.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


PROBES: dict[str, Handler] = {"/healthz": healthz, "/readyz": readyz}


def answer_probes(get_response: Handler) -> Handler:
    """Answer probes before anything else (a middleware)."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        return PROBES.get(request.path_info, get_response)(request)

    return respond


def _is_staff(request: HttpRequest, *, has_database: bool) -> bool:
    """Return whether the caller is staff. While the database is down, only a token proves it."""
    return _has_token_of_staff(request) or (has_database and _has_session_of_staff(request))


def _has_token_of_staff(request: HttpRequest) -> bool:
    if personal_tokens.PREFIX in request.headers.get("Authorization", ""):
        return False  # it has no roles, and looking it up needs the database
    try:
        verification = bearer.verify_bearer(request)
    except APIException:
        return False
    return verification is not None and access.is_staff(verification[0])


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

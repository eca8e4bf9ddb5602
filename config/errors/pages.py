"""Error pages: what went wrong and what to do next."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader

from config.pages import navigation
from config.requests.clients import id_of


def problem(
    request: HttpRequest, status: int, *, template: str = "", **values: Any
) -> HttpResponse:
    """Return the error page of a status."""
    context = {"request_id": id_of(request), **values}
    return render(request, template or f"{status}.html", context, status=status)


def failure(request: HttpRequest, *, status: int = 500, message: str = "") -> HttpResponse:
    """Return the page of an unexpected error or an outage.

    It uses neither the session nor the database: either may be down.
    """
    context = {
        "request_id": id_of(request),
        "message": message,
        "shell": navigation.about(),
        "layout": "plain.html",
    }
    content = loader.get_template(f"{status}.html").render(context)
    return HttpResponse(content, status=status)

"""The pages that belong to no API area, and those that say what went wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.views.generic import TemplateView

from config import navigation
from config.requests import id_of


class Home(TemplateView):
    """What each group of visitors can do here."""

    template_name = "home.html"


class Help(TemplateView):
    """How to file in short steps, how to get access, and whom to contact."""

    template_name = "help.html"


class TryApi(TemplateView):
    """Every call of the API, to be tried from the browser (Swagger UI)."""

    template_name = "api/try.html"


def problem(request: HttpRequest, status: int, *, template: str = "", **more: Any) -> HttpResponse:
    """Return the page that says what went wrong and what to do now."""
    context = {"request_id": id_of(request), **more}
    return render(request, template or f"{status}.html", context, status=status)


def failure(request: HttpRequest, *, status: int = 500, message: str = "") -> HttpResponse:
    """Return the page of an unexpected error, or of what is away.

    Session and database stay out: one may be broken.
    """
    context = {
        "request_id": id_of(request),
        "message": message,
        "shell": navigation.about(),
        "layout": "plain.html",
    }
    content = loader.get_template(f"{status}.html").render(context)
    return HttpResponse(content, status=status)

"""The home page, the help page, and the page to try the API."""

from __future__ import annotations

from django.views.generic import TemplateView


class Home(TemplateView):
    """The home page: what each group of visitors can do here."""

    template_name = "home.html"


class Help(TemplateView):
    """How to get access, how to file step by step, and how to contact the help desk."""

    template_name = "help.html"


class TryApi(TemplateView):
    """Every call of the API, to try in the browser (Swagger UI)."""

    template_name = "api/try.html"

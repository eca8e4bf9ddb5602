"""Pages of a table beside its list and the page of one: forms, steps, parts that are read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

OwnPages = Sequence[tuple[str, Callable[..., HttpResponseBase], str]]


def own_page(
    of: admin.options.BaseModelAdmin,
    request: HttpRequest,
    template: str,
    title: str,
    shown: dict[str, Any],
) -> TemplateResponse:
    """Return a page of a table, with what every page of the admin has around it."""
    around = {**of.admin_site.each_context(request), "opts": of.opts, "title": title}
    return TemplateResponse(request, template, around | shown)


class WithOwnPages(admin.ModelAdmin):
    """A table whose `own_pages` are found below its list, for staff alone.

    Who adds pages names those of the classes above, too: `(*pages, *super().own_pages())`.
    """

    def own_pages(self) -> OwnPages:
        """Return of each its address, what shows it, and its name after that of the table."""
        return ()

    def get_urls(self) -> list[URLPattern]:
        """Return these addresses, then those of the admin: its last one takes all that are left."""
        table = f"{self.opts.app_label}_{self.opts.model_name}"
        own = [
            path(at, self.admin_site.admin_view(view), name=f"{table}_{name}")
            for at, view, name in self.own_pages()
        ]
        return [*own, *super().get_urls()]

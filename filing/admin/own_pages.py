"""Extra pages of a table, besides its list and the page of one row: forms, steps, page parts."""

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
    table: admin.options.BaseModelAdmin,
    request: HttpRequest,
    template: str,
    title: str,
    context: dict[str, Any],
) -> TemplateResponse:
    """Return a page of a table, with the context that every admin page needs."""
    site_context = table.admin_site.each_context(request)
    return TemplateResponse(
        request, template, {**site_context, "opts": table.opts, "title": title, **context}
    )


class WithOwnPages(admin.ModelAdmin):
    """A table whose `own_pages` have addresses below its list, for staff only.

    A class that adds pages keeps those of its parents: `(*pages, *super().own_pages())`.
    """

    def own_pages(self) -> OwnPages:
        """Return the pages: the address below the list, the view, and the name of the address."""
        return ()

    def get_urls(self) -> list[URLPattern]:
        """Return these addresses before Django's, whose last one matches everything."""
        table = f"{self.opts.app_label}_{self.opts.model_name}"
        pages = [
            path(address, self.admin_site.admin_view(view), name=f"{table}_{name}")
            for address, view, name in self.own_pages()
        ]
        return [*pages, *super().get_urls()]

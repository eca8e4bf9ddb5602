"""Pages of a table beside its list and the page of one: forms, steps, parts that are read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.contrib import admin
from django.http import HttpResponse
from django.urls import URLPattern, path

OwnPages = Sequence[tuple[str, Callable[..., HttpResponse], str]]


class WithOwnPages(admin.ModelAdmin):
    """A table whose `own_pages` are found below its list, for staff alone."""

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

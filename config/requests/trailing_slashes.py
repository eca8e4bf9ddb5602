"""Redirects a page's address without its trailing slash to the page."""

from __future__ import annotations

from django.http import HttpRequest
from django.middleware.common import CommonMiddleware

from config.errors.areas import area_of

READING = frozenset({"GET", "HEAD"})


class TrailingSlashes(CommonMiddleware):
    """Redirects to the page whose trailing slash was left out (a middleware).

    Only to a page that exists, on this site, with the same query. A form is never redirected: its
    data would be lost. API addresses answer with or without the slash.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether the same address with a slash is a page."""
        if request.method not in READING or area_of(request.path):
            return False
        return bool(super().should_redirect_with_slash(request))

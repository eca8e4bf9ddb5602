"""The rule for the slash at the end of a page's address."""

from __future__ import annotations

from django.http import HttpRequest
from django.middleware.common import CommonMiddleware

from config.errors import area_of

READING = frozenset({"GET", "HEAD"})


class PageSlashes(CommonMiddleware):
    """Sends readers of a page who left out its last slash to the page (a middleware).

    Only to a page that exists, on this site, with the same query. A form is never sent on: what it
    holds would be lost. Addresses of APIs answer as they stand, with the slash or without.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether the same address with a slash is a page."""
        if request.method not in READING or area_of(request.path):
            return False
        return bool(super().should_redirect_with_slash(request))

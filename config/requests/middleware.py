"""What every middleware is given, and returns."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# The key of `request.META` with the status and the reason for which the web server could not read a
# request. No header has such a name.
UNREADABLE = "service.unreadable"
Handler = Callable[[HttpRequest], HttpResponseBase]  # answers a request

"""The API document, for programs."""

from __future__ import annotations

import threading
from typing import Any

from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.response import Response

# The library resolves the classes that its extensions name at first use, which two threads at once
# do not survive.
_GENERATING = threading.Lock()


class ApiDocument(SpectacularJSONAPIView):
    """Returns the API document, made by one request at a time."""

    def _get_schema_response(self, request: Any) -> Response:
        with _GENERATING:
            return super()._get_schema_response(request)

"""The API areas of the site: which addresses belong to each, and the form of its errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto


class Form(Enum):
    """The form of an area's errors; each ends with the id of the request."""

    STATUS = auto()  # status, message and path
    TYPE = auto()  # a type in place of status and path
    OAUTH = auto()  # Source: RFC 6749, section 5.2


@dataclass(frozen=True)
class Area:
    """A part of the site whose errors are JSON.

    start: the path that all its addresses begin with.
    prefix: what the paths in its errors leave out.
    pages: its addresses that are pages, and answer errors with pages.
    stores: whether requests to it may change stored data.
    """

    start: str
    prefix: str = ""
    form: Form = Form.STATUS
    pages: re.Pattern[str] | None = None
    stores: bool = False

    def has(self, path: str) -> bool:
        """Return whether an address belongs to the area, existing or not."""
        is_below = path == self.start or path.startswith(f"{self.start}/")
        return is_below and not (self.pages and self.pages.fullmatch(path))


# Every API address belongs to one of these, existing or not. The narrower ones come first.
AREAS = (
    Area("/v2/data-browser-api", "/v2/data-browser-api", form=Form.TYPE),
    Area("/v2/filing", "/v2/filing", stores=True),
    Area("/v2/public", "/v2/public"),
    Area("/v2"),
    Area("/hmda-auth", "/hmda-auth", stores=True),
    Area("/public", "/public"),
    Area("/file", "/file"),
    Area("/quarterly-data"),
    Area(
        "/realms",
        form=Form.OAUTH,
        stores=True,
        pages=re.compile(r"/realms/[^/]+/(login|protocol/openid-connect/(auth|logout))/?"),
    ),
)


def area_of(path: str) -> Area | None:
    """Return the API area of a path, None for a page."""
    return next((area for area in AREAS if area.has(path)), None)

"""The areas of the site, by which requests are counted."""

from __future__ import annotations

# By the first one, two or three parts of a path; the longest that fits counts.
_BEGINNINGS = {
    "filing": ("/filing", "/v2/filing"),
    "public": ("/v2/public", "/edits"),
    "data-browser": (
        "/data",
        "/v2/data-browser-api",
        "/v2/public/modifiedLAR",
        "/v2/public/publications",
        "/file",
    ),
    "graphs": ("/data/graphs", "/quarterly-data"),
    "tools": ("/tools", "/v2/public/uli", "/public"),
    "identity": (
        "/hmda-auth",
        "/realms",
        "/sign-in",
        "/sign-out",
        "/sign-up",
        "/forgotten",
        "/admin/login",
        "/admin/logout",
    ),
    "admin": ("/admin",),
    "health": ("/healthz", "/readyz", "/metrics", "/v2/data-browser-api/health"),
    "static": ("/static",),
}
PAGES = "pages"  # everything else
AREAS = (*_BEGINNINGS, PAGES)
_AREA_OF = {start: area for area, starts in _BEGINNINGS.items() for start in starts}
_OF_HEALTH = "/v2/filing/"  # the older health check: the address itself, and nothing below it


def area_of(path: str) -> str:
    """Return the area of a path, whether or not there is anything at this address."""
    if path == _OF_HEALTH:
        return "health"
    parts = path.split("/", 4)
    for length in (4, 3, 2):
        if area := _AREA_OF.get("/".join(parts[:length])):
            return area
    return PAGES

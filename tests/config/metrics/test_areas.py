"""Areas: each path has one, and no part of a path becomes a label."""

from __future__ import annotations

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from config.metrics.areas import AREAS, area_of


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("/", "pages"),
        ("/help/", "pages"),
        ("", "pages"),
        ("//", "pages"),
        ("/wp-login.php", "pages"),
        ("/v2/filing/", "health"),
        ("/healthz", "health"),
        ("/metrics", "health"),
        ("/v2/filing/institutions/529900TESTBANK000042/filings/2024", "filing"),
        ("/filing/529900TESTBANK000042/2024/", "filing"),
        ("/v2/public/lar/validate/2024", "public"),
        ("/v2/public/uli/checkDigit", "tools"),
        ("/public/rateSpread", "tools"),
        ("/v2/public/modifiedLAR/2024/529900TESTBANK000042", "data-browser"),
        ("/data/browser/", "data-browser"),
        ("/data/graphs/", "graphs"),
        ("/quarterly-data/graphs", "graphs"),
        ("/admin/filing/job/", "admin"),
        ("/admin/login/", "identity"),
        ("/realms/hmda2/protocol/openid-connect/token", "identity"),
        ("/static/uswds/styles.css", "static"),
        ("/staticfiles", "pages"),
    ],
)
def test_a_path_has_an_area(path: str, area: str) -> None:
    assert area_of(path) == area


def test_every_address_of_the_site_is_in_an_area_and_each_area_has_one() -> None:
    areas = {area_of(f"/{start}") for start in starts(get_resolver().url_patterns)}
    assert areas == {*AREAS} - {"static"}


def starts(patterns: list[URLPattern | URLResolver], above: str = "") -> list[str]:
    """Return how the addresses begin, up to their first variable part."""
    paths = []
    for each in patterns:
        path = above + str(each.pattern).lstrip("^")
        below = starts(each.url_patterns, path) if isinstance(each, URLResolver) else [path]
        paths += below
    return paths

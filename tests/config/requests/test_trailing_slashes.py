"""Every page has one address, with a slash at its end; without it one is sent there."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config.errors.handlers import find_api_area
from tests.addresses import ROUTES

pytestmark = pytest.mark.slow

# Addresses that others have written down letter by letter: identity providers that send people
# back, clients of ours that know it from Keycloak, probes, and those who know the bureau's tool.
FIXED = {"signed-in", "identity:login", "identity:auth", "identity:logout", "healthz", "readyz"}
FIXED |= {"lar-formatting", "online-lar-formatting"}
FIXED |= {"/updates-notes", "/data-browser/graphs/quarterly/info/filers"}


def is_file(address: str) -> bool:
    return "." in address.rpartition("/")[2]


PAGES = {
    name: address.format(key=1)
    for name, address in ROUTES.items()
    if not find_api_area(address) and name not in FIXED and not is_file(address) and address != "/"
}
del PAGES["admin:nowhere"]  # whatever no page has


@pytest.fixture
def staff(admin_client: Client, settings: Any) -> Client:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    return admin_client


def test_the_address_of_every_page_ends_in_a_slash() -> None:
    assert len(PAGES) > 100
    assert not [name for name, address in PAGES.items() if not address.endswith("/")]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_without_its_slash_leads_to_the_page(staff: Client, method: str) -> None:
    led = {
        name: (answer.status_code, answer.headers.get("Location"))
        for name, address in PAGES.items()
        for answer in [staff.generic(method, address.rstrip("/"), QUERY_STRING="a=1&b=%2F%3D")]
    }
    assert led == {name: (301, f"{address}?a=1&b=%2F%3D") for name, address in PAGES.items()}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_is_sent_to_a_page_without_its_slash_is_not_sent_on(
    staff: Client, method: str
) -> None:
    statuses = {
        staff.generic(method, address.rstrip("/")).status_code for address in PAGES.values()
    }
    assert statuses == {404}


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "//evil.example/help",
        "///evil.example/admin",
        "/%2Fevil.example",
        "/\\evil.example",
        "/admin//evil.example",
        "/nowhere",
        "/help.txt",
        "/static/nowhere",
        "/edits/V99",
    ],
)
def test_nobody_is_sent_to_another_site_or_to_no_page(staff: Client, path: str) -> None:
    answer = staff.get("/", PATH_INFO=path)
    assert (answer.status_code, answer.headers.get("Location")) == (404, None)


def test_an_address_of_an_api_is_never_sent_on(staff: Client) -> None:
    answers = {
        address: staff.get(address.rstrip("/")).status_code
        for address in ROUTES.values()
        if find_api_area(address)
    }
    assert answers["/v2/public"] == 405
    assert answers["/v2/filing/"] == 404
    assert 301 not in answers.values()

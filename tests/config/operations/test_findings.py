"""What the checks of the installation found, on the front page of the admin."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import Debug, Error
from django.core.checks import Warning as Concern
from django.urls import reverse

from config.doctor.examination import examine_parts
from config.operations import findings
from config.server_addresses import cache_settings
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
INDEX, PAGE = reverse("admin:index"), reverse("admin:findings")
RENEWAL = f'hx-get="{PAGE}"'
PROBLEMS = {
    "jobs": [Concern("Jobs that failed within a day: parse 2.", "Read why.")],
    "clock": [Error("The clock is 9 seconds ahead.", "Synchronize it.")],
    "work": [Debug("The last job ended 5 seconds ago.")],
}


def open_front_page(role: str) -> str:
    return signed_in(member(role)).get(INDEX).content.decode()


@pytest.mark.servers
def test_a_part_that_is_away_is_seen_at_once_and_hides_nothing(settings: Any) -> None:
    findings.store_findings(PROBLEMS)
    address, closed = settings.CACHE_URL, "redis://127.0.0.1:1/0"
    settings.CACHE_URL, settings.CACHES = closed, {"default": cache_settings(closed)}
    page = open_front_page("operator")
    assert "Cache:" in page
    assert "Synchronize it." in page
    assert RENEWAL in page
    findings.store_findings(examine_parts(["cache"]))
    settings.CACHE_URL, settings.CACHES = address, {"default": cache_settings(address)}
    page = open_front_page("administrator")
    assert "Cache:" not in page
    assert RENEWAL in page


def test_findings_are_for_those_who_act_on_them() -> None:
    findings.store_findings(PROBLEMS)
    assert "Synchronize it." not in open_front_page("help desk")


def test_the_checks_are_not_run_for_others() -> None:
    assert signed_in(member("help desk")).get(PAGE).status_code == 403


def test_programs_read_the_same_as_json() -> None:
    client = signed_in(member("operator"))
    address = reverse("admin:findings_json")
    assert client.get(address).json() == {"at": None, "parts": {}}
    findings.store_findings(PROBLEMS)
    content = client.get(address).json()
    assert (content["errors"], content["warnings"]) == (1, 1)
    assert content["parts"]["clock"]["level"] == "error"
    [finding] = content["parts"]["clock"]["findings"]
    assert finding["since"] == content["at"]


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_the_button_examines_again(settings: Any) -> None:
    client = signed_in(member("operator"))
    assert client.get(PAGE).context["findings"] is None
    assert client.post(PAGE).status_code == 302
    found = client.get(PAGE).context["findings"]
    assert "database" in dict(found.parts)
    settings.CACHE_URL = "redis://127.0.0.1:1/0"  # what was examined a moment ago does not hide it
    assert "Cache:" in client.get(PAGE, headers={"HX-Request": "true"}).content.decode()
    client.force_login(member("help desk"))
    assert client.post(PAGE).status_code == 403

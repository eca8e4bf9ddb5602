"""Institutions by mail domain, for everybody."""

from __future__ import annotations

import pytest
from django.test import Client

from filing.models import Institution
from tests.errors import error_of

pytestmark = pytest.mark.django_db
ADDRESS = "/v2/public/institutions"


@pytest.fixture(autouse=True)
def _panel() -> None:
    for year in (2023, 2024):
        Institution.objects.create(
            activity_year=year,
            lei="529900EXAMPLELEI0001",
            name="Example Bank",
            tax_id="12-3456789",
            notes="called in May",
            agency=9,
            email_domains=["bank.example"],
            city="Springfield",
            state="IL",
            rssd=7,
        )


def test_an_institution_is_found_as_in_its_newest_year_without_what_is_for_staff() -> None:
    answer = Client().get(ADDRESS, {"domain": "Bank.example"})
    assert answer.status_code == 200
    assert answer.json() == {
        "institutions": [
            {
                "activityYear": 2024,
                "lei": "529900EXAMPLELEI0001",
                "agency": 9,
                "institutionType": "",
                "institutionId2017": "",
                "taxId": "",
                "rssd": 7,
                "emailDomains": ["bank.example"],
                "respondent": {"name": "Example Bank", "state": "IL", "city": "Springfield"},
                "parent": {"idRssd": 0, "name": ""},
                "assets": 0,
                "otherLenderCode": 0,
                "topHolder": {"idRssd": 0, "name": ""},
                "hmdaFiler": False,
                "quarterlyFiler": False,
                "quarterlyFilerHasFiledQ1": False,
                "quarterlyFilerHasFiledQ2": False,
                "quarterlyFilerHasFiledQ3": False,
                "notes": "",
            }
        ]
    }


@pytest.mark.parametrize("domain", ["gmail.com", "other.example", "ank.example"])
def test_a_domain_of_no_institution_is_not_found(domain: str) -> None:
    answer = Client().get(ADDRESS, {"domain": domain})
    assert answer.status_code == 404
    assert error_of(answer) == {
        "httpStatus": 404,
        "message": f"There is no institution with the mail domain {domain}",
        "path": "/institutions",
    }


def test_a_domain_must_be_named() -> None:
    answer = Client().get(ADDRESS)
    assert answer.status_code == 400
    assert answer.json()["message"] == "Name a mail domain, such as domain=bank.example."

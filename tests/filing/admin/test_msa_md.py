"""Names of MSA/MDs among the reference data: no year needs them, and no edit reads them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from filing.demo.census import write_census as census_text
from filing.lar.years import supported_years
from filing.models import Submission
from filing.statuses import Status
from tests.filing.admin.previewing import confirm
from tests.filing.reference_data.storage import files  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
LIST, LOAD = (reverse(f"admin:filing_referencedata_{page}") for page in ("changelist", "load"))
CENSUS, NAMES = "census", "msa-md-names"


def look(client: Client, kind: str, text: str) -> Any:
    upload = SimpleUploadedFile("facts.txt", text.encode())
    return client.post(LOAD, {"kind": kind, "year": 2024, "file": upload})


def load(client: Client, kind: str, text: str) -> str:
    done = confirm(client, look(client, kind, text), reason="The season needs it.")
    return done.content.decode()


def test_a_year_without_names_is_no_alarm(operator: Client) -> None:
    page = operator.get(LIST).content.decode()
    years = len(supported_years())
    assert page.count("Missing.") == 2 * years  # census and county loan limits
    assert page.count("None.") == years
    load(operator, NAMES, "code|name\n10600|Bay, CA\n")
    assert operator.get(LIST).content.decode().count("None.") == years - 1


def test_no_submission_was_checked_with_names(operator: Client, submission: Submission) -> None:
    Submission.objects.update(status=Status.QUALITY_ERRORS, edits_folder="x")
    assert "were checked with" in load(operator, CENSUS, census_text(2024))
    assert "were checked with" not in load(operator, NAMES, "code|name\n10600|Bay, CA\n")

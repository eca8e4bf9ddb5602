"""MSA/MDs among the reference data: blanks of a census are counted, names are loaded."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from filing.demo.census import write_census as census_text
from filing.lar.years import supported_years
from filing.models import Submission
from filing.reference_data import registry
from filing.statuses import Status
from tests.filing.admin.previewing import confirm
from tests.filing.reference_data.storage import files  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
LIST, LOAD = (reverse(f"admin:filing_referencedata_{page}") for page in ("changelist", "load"))
CENSUS, NAMES = "census", "msa-md-names"


def look(client: Client, kind: str, text: str) -> Any:
    upload = SimpleUploadedFile("facts.txt", text.encode())
    return client.post(LOAD, {"kind": kind, "year": 2024, "file": upload})


def preview(client: Client, kind: str, text: str) -> str:
    return html.unescape(look(client, kind, text).content.decode())


def load(client: Client, kind: str, text: str) -> str:
    done = confirm(client, look(client, kind, text), reason="The season needs it.")
    return done.content.decode()


def test_the_preview_says_how_many_lines_of_a_census_have_no_msa_md(operator: Client) -> None:
    load(operator, CENSUS, census_text(2024))
    page = preview(operator, CENSUS, census_text(2024).replace("|99999|", "||"))
    assert "204 lines with a blank MSA/MD (read as 99999, outside of any MSA/MD)" in page
    assert "The rows are the same." in page  # a blank and 99999 mean one thing
    assert "blank MSA/MD" not in preview(operator, CENSUS, census_text(2024))


def test_names_are_previewed_loaded_and_in_use_at_once(operator: Client) -> None:
    assert "one line for each MSA/MD" in operator.get(LOAD).content.decode()
    assert "1 rows, 1 MSA/MDs" in preview(operator, NAMES, "code|name\n10600|Bay, CA\n")
    load(operator, NAMES, "code|name\n10600|Bay, CA\n")
    assert registry.find_msa_md_names([2024])["10600"] == "Bay, CA"
    page = preview(operator, NAMES, "code,name\n10600,Sea, CA\n10800,Hill, CO\n")
    assert "1 rows added, 0 removed, 1 changed." in page
    assert "MSA/MD is '1060'" in preview(operator, NAMES, "code|name\n1060|Bay, CA\n")


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

"""A checked submission beside the rules of another year, on its page and in the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from filing.access import SERVICE
from filing.lar.fields import LAR_BY_NAME
from filing.models import FilingYear, Submission
from filing.seasons import rulebooks
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, prepare, signed_in, text, upload
from tests.filing.pages.tables import cells
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]

API = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/edits/rules"


def exempt(content: bytes) -> bytes:
    """Claim the partial exemption for a field of the first record."""
    lines = [line.split(b"|") for line in content.split(b"\n")]
    lines[1][LAR_BY_NAME["nmlsr_id"].number - 1] = b"Exempt"
    return b"\n".join(b"|".join(line) for line in lines)


@pytest.fixture
def program() -> Client:
    return make.program("ann", leis=[LEI])


def compared(program: Client, rules: int = 2025) -> dict[str, Any]:
    answer = program.get(f"{API}/{rules}")
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize("fails", [{}, {"V617": 2}], ids=["to verify", "to correct"])
def test_page_and_api_show_the_difference_edit_by_edit(browser, program, fails):
    submission = prepare(browser, exempt(register(**fails)))
    assert f'href="{submission}edits/rules/2025/"' in browser.get(submission).content.decode()
    body = compared(program)
    assert (body["rules"]["year"], body["comparedWith"]["year"]) == (2024, 2025)
    edits = {edit["edit"]: edit for edit in body["edits"]}
    assert edits["Q646"]["change"] == "changed"
    assert edits["Q646"]["before"] == {"kind": "macro", "total": 1, "notRun": None}
    assert edits["Q646"]["after"] == {"kind": "quality", "total": 1, "notRun": None}
    page = browser.get(f"{submission}edits/rules/2025/")
    rows = cells(page, "Triggered with both, with another result")
    assert [row[:3] for row in rows] == [["Q646", "macro, whole file", "quality, 1 record"]]


def test_results_of_the_submission_do_not_change(browser, program):
    prepare(browser, exempt(register()))
    before = list(Submission.objects.values())
    compared(program)
    assert list(Submission.objects.values()) == before


def test_the_same_rules_are_said_to_be_the_same_without_reading_the_file(browser, program):
    prepare(browser, register())
    FilingYear.objects.filter(year=2025).update(rulebook=2024)
    FilingYear.objects.get(year=2025).save()  # and read again
    Submission.objects.update(raw_file="nowhere")
    body = compared(program)
    assert (body["edits"], body["differing"]) == ([], 0)
    assert body["comparedWith"] == {"year": 2025, "rulebook": 2024, "provisional": True}
    rulebooks.withdraw_edit(FilingYear.objects.get(year=2025), "V617", by=SERVICE, reason="Wrong.")
    (edit,) = compared(program)["edits"]
    assert (edit["edit"], edit["change"], edit["before"]["total"]) == ("V617", "not-run", 0)


def test_a_year_without_other_rules_is_refused(browser, program):
    submission = prepare(browser, register())
    for rules in (2024, 2017, 2099):
        assert program.get(f"{API}/{rules}").status_code == 400
        assert browser.get(f"{submission}edits/rules/{rules}/").status_code == 400


def test_a_year_that_staff_prepare_is_not_compared(browser, program):
    submission = prepare(browser, register())
    year = FilingYear.objects.get(year=2025)
    year.stage = 1
    year.save()
    assert "edits/rules" not in browser.get(submission).content.decode()
    assert program.get(f"{API}/2025").status_code == 400


def test_a_file_that_is_not_checked_or_too_large_is_refused(browser, program, settings):
    prepare(browser, register() + b"2|three|fields\n")
    assert program.get(f"{API}/2025").status_code == 400
    submission = prepare(browser, register())
    settings.PUBLIC_UPLOAD_LIMIT = 1000
    answer = browser.get(f"{submission}edits/rules/2025/")
    assert "check_lar FILE --year 2024 --rules 2025" in text(answer, 400)
    upload(browser, begin(browser), register())
    assert browser.get(f"{FILING}3/edits/rules/2025/").status_code == 400


def test_a_file_that_was_removed_is_not_compared(browser, program):
    submission = prepare(browser, register())
    Submission.objects.update(files_removed_at=timezone.now(), files_removed_rule="Old.")
    assert program.get(f"{API}/2025").status_code == 404
    assert "edits/rules" not in browser.get(submission).content.decode()


def test_staff_see_the_counts(browser, helper):
    submission = prepare(browser, register())
    assert signed_in(helper).get(f"{submission}edits/rules/2025/").status_code == 200

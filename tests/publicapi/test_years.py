"""Years that can be checked but not filed: where they are offered, and what is said of them."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import load_workbook

from databrowser.admin.data_sets import DataSetForm
from filing import day_hours
from filing.errors import BadInput
from filing.lar.years import RULEBOOKS, Period, YearStage, unsettled_years
from filing.models import FilingPeriod, FilingYear, WithdrawnEdit
from tests.publicapi.lines import loan, sheet

pytestmark = pytest.mark.django_db

PUBLIC, NEXT = "/v2/public", RULEBOOKS[-1] + 1
RULES = {"year": RULEBOOKS[-1], "provisional": True, "beta": True}
FILE = f"{sheet(Period(NEXT))}\n{loan(Period(NEXT))}\n"


def file() -> dict[str, Any]:
    return {"file": SimpleUploadedFile("lar.txt", FILE.encode())}


def body(answer: Any) -> Any:
    assert answer.status_code == 200, answer.getvalue()
    return json.loads(answer.getvalue())


def as_json(line: str, key: str) -> dict[str, Any]:
    return {"data": json.dumps({key: line}), "content_type": "application/json"}


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        (f"/ts/validate/{NEXT}", as_json(sheet(Period(NEXT)), "ts")),
        (f"/lar/validate/{NEXT}", as_json(loan(Period(NEXT)), "lar")),
        (f"/lar/validate/{NEXT}/quarter/Q1", as_json(loan(Period(NEXT, 1)), "lar")),
        (f"/disclosure/validate/{NEXT}", None),
        (f"/lar/convert?year={NEXT}", None),
    ],
)
def test_what_is_checked_with_rules_that_stand_in_says_so(client: Client, path, sent) -> None:
    answer = body(client.post(PUBLIC + path, **(sent or {"data": file()})))
    assert answer["rulebook"] == RULES
    assert not answer.get("validity", {}).get("errors")


@pytest.mark.parametrize("asked", [{}, {"year": NEXT}, {"year": NEXT, "quarter": "Q3"}])
def test_the_edits_reference_names_the_years_whose_rules_stand_in(client, asked) -> None:
    answer = body(client.get(f"{PUBLIC}/edits", asked))
    assert answer["rulebooks"] == [{"dataYear": NEXT, **RULES}]
    if asked == {"year": NEXT}:
        assert all(NEXT in edit["periods"]["annual"] for edit in answer["edits"])


def test_an_edit_that_was_not_run_is_named_with_its_reason(client) -> None:
    line = body(client.post(f"{PUBLIC}/lar/validate/2024", **as_json(loan(Period(2024)), "lar")))
    assert {"V625-2", "V626"} <= {each["edit"] for each in line["notRun"]}
    whole = body(client.post(f"{PUBLIC}/disclosure/validate/{NEXT}", file()))
    assert whole["notRun"] == [each for each in whole["notRun"] if each["reason"]] != []


@pytest.mark.parametrize(
    "address",
    [
        "/edits/",
        f"/edits/?year={NEXT}",
        f"/edits/V600/?year={NEXT}",
        "/edits/V600/",
        "/tools/lar/",
        "/tools/lar/edit/",
        "/tools/check-line/",
        "/tools/check-file/",
    ],
)
def test_a_page_about_rules_says_which_stand_in(client, address) -> None:
    (rules,) = unsettled_years()
    assert rules.notice in client.get(address).content.decode()


@pytest.mark.parametrize("address", ["/tools/check-line/", "/tools/check-file/"])
def test_a_page_with_findings_says_which_rules_stand_in(client, address) -> None:
    (rules,) = unsettled_years()
    before = client.get(address).content.decode()
    sent = {"year": NEXT, "quarter": "", "lines": FILE, **file()}
    page = client.post(address, sent).content.decode()
    assert page.count(rules.notice) == before.count(rules.notice) + 1


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_there_is_a_template_of_a_year_in_beta(client, kind) -> None:
    answer = client.get(f"{PUBLIC}/lar/template", {"format": kind, "year": NEXT})
    if kind == "xlsx":
        book = load_workbook(io.BytesIO(answer.content), read_only=True)
        texts = [cell for row in book["Codes"].iter_rows(values_only=True) for cell in row]
        assert [rules.notice for rules in unsettled_years()] == texts[-1:]
    assert (answer.status_code, f"lar-{NEXT}.{kind}" in answer["Content-Disposition"]) == (
        200,
        True,
    )


def test_a_year_in_beta_is_not_published_and_one_of_staff_is_not_checked(client) -> None:
    day = "2040-01-01"
    FilingPeriod.objects.create(year=2024, opens="2024-01-01", timely_until=day, closes=day)
    with pytest.raises(BadInput, match="not for filing yet"):
        FilingPeriod.objects.create(year=NEXT, opens="2024-01-01", timely_until=day, closes=day)
    choices = DataSetForm().fields["year"].choices  # type: ignore[attr-defined]
    assert [year for year, _ in choices if year] == [2024]
    FilingYear.objects.create(year=NEXT + 1, rulebook=RULEBOOKS[-1])
    assert client.get(f"{PUBLIC}/lar/fields", {"year": NEXT + 1}).status_code == 400
    FilingYear.objects.filter(year=NEXT + 1).update(stage=YearStage.CHECKS)
    FilingYear.objects.get(year=NEXT).save()  # so that the years are read again
    assert body(client.get(f"{PUBLIC}/lar/fields", {"year": NEXT + 1}))["rulebook"] == RULES


def test_an_edit_that_was_withdrawn_is_named_where_it_is_read_and_run(client) -> None:
    today = day_hours.today()
    for since in (today, today + timedelta(days=9)):
        WithdrawnEdit.objects.create(
            filing_year_id=2024,
            code="V611" if since == today else "V612-1",
            since=since,
            reason="The list of types was wrong.",
        )
    (edit,) = body(client.get(f"{PUBLIC}/edits/V611"))["edits"]
    assert edit["withdrawn"] == [
        {"year": 2024, "since": today.isoformat(), "reason": "The list of types was wrong."}
    ]
    later = body(client.get(f"{PUBLIC}/edits/V612"))["edits"]
    assert all("withdrawn" not in each for each in later)
    assert "The list of types was wrong." in client.get("/edits/V611/").content.decode()
    wrong = as_json(loan(Period(2024), loan_type=9), "lar")
    answer = body(client.post(f"{PUBLIC}/lar/validate/2024", **wrong))
    assert "V611" in {each["edit"] for each in answer["notRun"]}
    assert "V611" not in {each["edit"] for each in answer["validity"]["errors"]}

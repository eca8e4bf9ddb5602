"""The panel, looked up: by everybody without tax ids and notes, by staff with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.identity import tokens
from filing.access import ROLES
from filing.models import Institution
from tests.errors import error_of

pytestmark = pytest.mark.django_db
ADDRESS = "/v2/public/institutions"
LEI, OTHER_LEI, THIRD_LEI = "529900EXAMPLELEI0001", "529900OTHERBANK00017", "529900THIRDBANK00088"
PUBLIC = {
    "activityYear": 2024,
    "lei": LEI,
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
ACCEPTED = "give one or more of respondentName, lei, city, state, domain."


@pytest.fixture(autouse=True)
def _panel(settings: Any) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    for year, city in ((2023, "Peoria"), (2024, "Springfield")):
        Institution.objects.create(
            activity_year=year,
            lei=LEI,
            name="Example Bank",
            tax_id="12-3456789",
            notes="called in May",
            agency=9,
            email_domains=["bank.example"],
            city=city,
            state="IL",
            rssd=7,
        )
    Institution.objects.create(
        activity_year=2024,
        lei=OTHER_LEI,
        name="Other Bank, 100% of Springfield",
        tax_id="98-7654321",
        agency=3,
        email_domains=["other.example", "bank-two.example"],
        city="East Springfield",
        state="MA",
    )
    Institution.objects.create(
        activity_year=2023, lei=THIRD_LEI, name="Third Credit Union", agency=5, state="IL"
    )


def staff(role: str = "help desk") -> Client:
    claim = next(each.token_role for each in ROLES if each.group == role)
    claims = tokens.identity_claims("sub-1", username="kim", roles=[claim])
    return bearer(tokens.issue_token(claims, seconds=60))


def bearer(token: str) -> Client:
    return Client(headers={"authorization": f"Bearer {token}"})


def leis(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    assert list(answer.json()) == ["institutions"]
    return [each["lei"] for each in answer.json()["institutions"]]


# --- search --------------------------------------------------------------------------------------


@pytest.mark.servers
def test_an_institution_is_found_as_in_its_newest_year_without_what_is_for_staff() -> None:
    answer = Client().get(ADDRESS, {"domain": "Bank.example"})
    assert answer.status_code == 200
    assert answer.json() == {"institutions": [PUBLIC]}
    assert answer["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"respondentName": "bank"}, [LEI, OTHER_LEI]),
        ({"respondentName": " EXAMPLE b"}, [LEI]),
        ({"respondentName": "100%"}, [OTHER_LEI]),
        ({"lei": LEI.lower()}, [LEI]),
        ({"city": "springfield"}, [LEI, OTHER_LEI]),
        ({"state": "il"}, [LEI, THIRD_LEI]),
        ({"domain": "bank-two.example"}, [OTHER_LEI]),
        ({"respondentName": "bank", "state": "IL"}, [LEI]),
        ({"respondentName": "bank", "city": "Spring", "state": "MA", "domain": ""}, [OTHER_LEI]),
        ({"state": "IL", "domain": "bank.example", "lei": LEI}, [LEI]),
    ],
)
def test_institutions_are_found_by_all_that_is_given(
    asked: dict[str, str], found: list[str]
) -> None:
    assert leis(Client().get(ADDRESS, asked)) == found
    assert leis(Client().get(f"{ADDRESS}/", asked)) == found


@pytest.mark.parametrize(
    ("asked", "criteria"),
    [
        ({"domain": "other.exampl"}, "domain other.exampl"),
        ({"city": "Peoria"}, "city Peoria"),  # as it was in an older year
        ({"respondentName": "_ank"}, "respondentName _ank"),
        ({"respondentName": "Bank", "state": "WY"}, "respondentName Bank and state WY"),
    ],
)
def test_what_no_institution_is_like_is_not_found(asked: dict[str, str], criteria: str) -> None:
    answer = Client().get(ADDRESS, asked)
    assert answer.status_code == 404
    assert error_of(answer) == {
        "httpStatus": 404,
        "message": f"There is no institution with {criteria}",
        "path": "/institutions",
    }


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, f"The search has no criteria; {ACCEPTED}"),
        ({"domain": " ", "page": "1"}, f"The search has no criteria; {ACCEPTED}"),
        ({"name": "Bank"}, f"The parameter 'name' is unknown; {ACCEPTED}"),
        ({"state": "IL", "taxid": "1"}, f"The parameter 'taxid' is unknown; {ACCEPTED}"),
        ({"city": "x" * 201}, "city has 201 characters; give at most 200."),
        (
            {"lei": "a\x01b"},
            "lei cannot be searched for: 'a\\x01b' has a line break or another control character "
            "(U+0001).",
        ),
        ({"state": "IL", "page": "x"}, "The page 'x' is not a whole number."),
    ],
)
@pytest.mark.parametrize("where", ["", "/year/2024"])
def test_a_search_that_cannot_be_done_says_what_is_accepted(
    asked: dict[str, str], message: str, where: str
) -> None:
    answer = Client().get(ADDRESS + where, asked)
    assert answer.status_code == 400
    wanted = {"httpStatus": 400, "message": message, "path": f"/institutions{where}"}
    assert error_of(answer) == wanted


def test_a_year_is_searched_as_it_was() -> None:
    assert leis(Client().get(f"{ADDRESS}/year/2023", {"city": "peoria"})) == [LEI]
    assert leis(Client().get(f"{ADDRESS}/year/2023/", {"state": "IL"})) == [LEI, THIRD_LEI]
    assert leis(Client().get(f"{ADDRESS}/year/2024", {"domain": "bank.example"})) == [LEI]
    answer = Client().get(f"{ADDRESS}/year/2022", {"state": "IL", "domain": "bank.example"})
    assert answer.status_code == 404
    message = "There is no institution with state IL and domain bank.example in 2022"
    assert error_of(answer)["message"] == message
    assert Client().get(f"{ADDRESS}/year/20244", {"state": "IL"}).status_code == 404


def test_many_institutions_come_a_hundred_at_a_time() -> None:
    Institution.objects.bulk_create(
        Institution(activity_year=2024, lei=f"MANY{number:016}", name=f"Many {number:03}", agency=9)
        for number in range(250)
    )
    first = Client().get(ADDRESS, {"respondentName": "many"})
    assert leis(first) == [f"MANY{number:016}" for number in range(100)]
    page = "/v2/public/institutions?respondentName=many&page="
    assert first["Link"] == (
        f'<{page}1>; rel="first", <{page}2>; rel="next", <{page}3>; rel="last"'
    )
    last = Client().get(f"{page}3")
    assert leis(last) == [f"MANY{number:016}" for number in range(200, 250)]
    assert last["Link"] == (f'<{page}1>; rel="first", <{page}2>; rel="prev", <{page}3>; rel="last"')
    for number in (0, -1, 4):
        answer = Client().get(f"{page}{number}")
        assert answer.status_code == 404
        assert error_of(answer)["message"] == f"There is no page {number}: the last one is 3."
    assert not Client().get(ADDRESS, {"lei": LEI}).has_header("Link")


def test_a_search_asks_the_database_once() -> None:
    with CaptureQueriesContext(connection) as queries:
        leis(Client().get(ADDRESS, {"respondentName": "bank", "domain": "bank.example"}))
    assert len(queries) == 1


# --- staff ---------------------------------------------------------------------------------------


@pytest.mark.servers
@pytest.mark.parametrize("role", ["help desk", "operator", "administrator"])
def test_staff_see_tax_id_and_notes_and_search_by_tax_id(role: str) -> None:
    whole = PUBLIC | {"taxId": "12-3456789", "notes": "called in May"}
    for where in ("", "/year/2024"):
        answer = staff(role).get(ADDRESS + where, {"taxId": "12-3456789"})
        assert answer.json() == {"institutions": [whole]}
    assert staff(role).get(f"{ADDRESS}/{LEI}/year/2024").json() == whole


def test_nobody_else_searches_by_tax_id() -> None:
    filer = bearer(
        tokens.issue_token(
            tokens.identity_claims("sub-2", username="ann", leis=[LEI], roles=["hmda-filer"]),
            seconds=60,
        )
    )
    for client in (Client(), filer):
        answer = client.get(ADDRESS, {"taxId": "12-3456789", "lei": LEI})
        assert answer.status_code == 403
        message = f"Only staff may search by taxId; {ACCEPTED}"
        wanted = {"httpStatus": 403, "message": message, "path": "/institutions"}
        assert error_of(answer) == wanted
        assert client.get(ADDRESS, {"lei": LEI}).json() == {"institutions": [PUBLIC]}
        assert client.get(f"{ADDRESS}/{LEI}/year/2024").json() == PUBLIC


def test_a_session_of_staff_is_no_token(admin_client: Client) -> None:
    assert admin_client.get(ADDRESS, {"lei": LEI}).json() == {"institutions": [PUBLIC]}


def test_a_token_that_is_not_good_is_refused() -> None:
    assert bearer("x.y.z").get(ADDRESS, {"lei": LEI}).status_code == 401


# --- one institution -----------------------------------------------------------------------------


@pytest.mark.parametrize("where", [f"{LEI}/year/2022", "x/year/2024", f"{LEI}/year/2022/history"])
def test_an_institution_that_a_year_does_not_have_is_not_found(where: str) -> None:
    answer = Client().get(f"{ADDRESS}/{where}")
    lei, _, year, *_ = where.split("/")
    assert answer.status_code == 404
    assert error_of(answer) == {
        "httpStatus": 404,
        "message": f"There is no institution {lei} in {year}",
        "path": f"/institutions/{where}",
    }


def test_the_history_has_each_change_with_the_institution_after_it() -> None:
    changed = Institution.objects.get(lei=LEI, activity_year=2024)
    changed.name, changed.email_domains, changed.quarterly_filer = "Renamed", ["new.example"], True
    changed.save()
    changed.notes, changed.assets = "called again", 5_000_000_000
    changed.save()
    answer = staff().get(f"{ADDRESS}/{LEI}/year/2024/history")
    assert answer.status_code == 200
    items = answer.json()["institutionNoteHistoryItems"]
    panels = [json.loads(item["updatedPanel"]) for item in items]
    assert [panel["respondent"]["name"] for panel in panels] == [
        "Renamed",
        "Renamed",
        "Example Bank",
    ]
    assert [panel["emailDomains"] for panel in panels] == [
        ["new.example"],
        ["new.example"],
        ["bank.example"],
    ]
    assert [panel["quarterlyFiler"] for panel in panels] == [True, True, False]
    assert [panel["assets"] for panel in panels] == [5_000_000_000, 0, 0]
    assert [item["notes"] for item in items] == ["called again", "called in May", "called in May"]
    assert panels[2] == PUBLIC | {"taxId": "12-3456789", "notes": "called in May"}
    for item in items:
        assert list(item) == ["id", "year", "lei", "historyID", "notes", "updatedPanel"]
        assert (item["year"], item["lei"]) == ("2024", LEI)
        assert item["historyID"].startswith(f"{LEI}-2024-1")


def test_the_history_hides_from_others_what_is_for_staff() -> None:
    changed = Institution.objects.get(lei=LEI, activity_year=2024)
    changed.notes, changed.tax_id = "called again", "11-1111111"
    changed.save()
    answer = Client().get(f"{ADDRESS}/{LEI}/year/2024/history/")
    (item,) = answer.json()["institutionNoteHistoryItems"]
    assert item["notes"] == ""
    assert json.loads(item["updatedPanel"]) == PUBLIC
    assert b"called" not in answer.content
    assert b"11-1111111" not in answer.content


def test_an_institution_without_changes_in_the_log_has_no_history() -> None:
    Institution.objects.bulk_create([Institution(activity_year=2025, lei=LEI, name="N", agency=9)])
    answer = Client().get(f"{ADDRESS}/{LEI}/year/2025/history")
    assert answer.status_code == 404
    assert error_of(answer)["message"] == f"There is no history of institution {LEI} in 2025"

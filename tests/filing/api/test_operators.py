"""The operator API: institutions, submissions, follow-ups and counts, for whoever may operate."""

from __future__ import annotations

from typing import Any

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from config.identity import tokens
from databrowser.models import ModifiedLar
from filing import access, submissions
from filing.access import Caller, Scope
from filing.api.serializers.operators import NO_REASON
from filing.errors import Forbidden
from filing.models import (
    AuditEvent,
    Filing,
    Institution,
    Job,
    LegalHold,
    Mail,
    Note,
    Submission,
    TrailEntry,
)
from filing.people import personal_tokens, users
from graphs.models import Computation
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import milliseconds
from tests.filing.receipts.signing import to_be_signed
from tests.filing.test_standing import add

pytestmark = pytest.mark.django_db
API = "/v2/admin"
NEW = {
    "activityYear": 2024,
    "lei": "529900NEWBANK0000017",
    "agency": 5,
    "taxId": "12-3456789",
    "respondent": {"name": "New Credit Union", "state": "MD", "city": "Bowie"},
    "parent": {"idRssd": 44, "name": "Parent"},
    "emailDomains": ["new.example"],
    "notes": "called in May",
    "reason": "It began to lend.",
}


@pytest.fixture(autouse=True)
def _no_limits(settings: Any) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)


@pytest.fixture
def admin() -> Client:
    return caller_with("hmda-admin")


@pytest.fixture
def operator(db: None) -> User:
    return make.staff("administrator", email="kim@agency.example")


def caller_with(*names: str) -> Client:
    return make.program("kim", roles=names)


def post(client: Client, path: str, body: Any, method: str = "post") -> Any:
    return getattr(client, method)(f"{API}{path}", body, content_type="application/json")


def personal(user: User, *scopes: Scope) -> Client:
    text, _ = personal_tokens.create_token(
        user, name="panel", leis=[], days=30, by=access.caller_of(user), scopes=scopes
    )
    return Client(headers={"authorization": f"Bearer {text}"})


# --- institutions --------------------------------------------------------------------------------


def test_an_institution_is_added_changed_and_removed_each_with_its_reason(admin: Client) -> None:
    added = post(admin, "/institutions", NEW)
    assert added.status_code == 201, added.content
    assert added.json()["respondent"] == NEW["respondent"]
    assert added.json()["parent"] == NEW["parent"]
    assert (added.json()["taxId"], added.json()["notes"]) == ("12-3456789", "called in May")

    Institution.objects.update(hmda_filer=True)
    changed = post(
        admin,
        "/institutions",
        {"activityYear": 2024, "lei": NEW["lei"], "respondent": {"name": "New Bank"},
         "quarterlyFiler": True, "reason": "It has a new name."},
        "put",
    )  # fmt: skip
    assert changed.status_code == 202, changed.content
    body = changed.json()
    assert (body["respondent"]["name"], body["respondent"]["city"]) == ("New Bank", "Bowie")
    assert (body["hmdaFiler"], body["quarterlyFiler"]) == (True, True)
    assert admin.get(f"{API}/institutions/{NEW['lei']}").json() == body
    assert admin.get(f"{API}/institutions/{str(NEW['lei']).lower()}/year/2024").json() == body
    assert admin.get(f"{API}/institutions/{NEW['lei']}/year/2024/quarter/Q1").status_code == 200

    gone = {"activityYear": 2024, "lei": NEW["lei"], "reason": "It was added by mistake."}
    removed = post(admin, "/institutions", gone, "delete")
    assert (removed.status_code, removed.json()) == (202, {"LEI": NEW["lei"]})
    assert post(admin, "/institutions", gone, "delete").status_code == 404
    assert list(
        TrailEntry.objects.filter(lei=NEW["lei"]).order_by("pk").values_list("event", "reason")
    ) == [
        (AuditEvent.RECORD_ADDED, "It began to lend."),
        (AuditEvent.RECORD_CHANGED, "It has a new name."),
        (AuditEvent.RECORD_DELETED, "It was added by mistake."),
    ]
    entries = LogEntry.objects.filter(content_type__model="institution").order_by("pk")
    reasons = [entry.additional_data["reason"] for entry in entries]
    assert reasons == ["It began to lend.", "It has a new name.", "It was added by mistake."]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"taxId": "123456789"}, "tax_id"),
        ({"lei": "529900NEWBANK00000"}, "lei"),
        ({"lei": "5493001KJTIIGC8Y1R12"}, "lei"),
        ({"emailDomains": ["gmail.com"]}, "email_domains"),
        ({"agency": 4}, "agency"),
        ({"activityYear": 1999}, "activity_year"),
        ({"reason": "x" * 501}, "reason"),
        ({"respondent": {}}, "respondent"),
        ({"rssd": 2**70}, "rssd"),
        ({"respondent": {"name": "A\nB"}}, "name"),
    ],
)
def test_an_institution_that_is_not_right_is_not_added(
    admin: Client, changes: Any, named: str
) -> None:
    answer = post(admin, "/institutions", NEW | changes)
    assert answer.status_code == 400
    error = error_of(answer)
    assert named in error["message"]
    assert error["path"] == "/institutions"
    assert not Institution.objects.exists()


def test_an_lei_in_small_letters_is_that_in_capitals(admin: Client) -> None:
    small = NEW | {"lei": str(NEW["lei"]).lower()}
    added = post(admin, "/institutions", small)
    assert (added.status_code, added.json()["lei"]) == (201, NEW["lei"])
    assert post(admin, "/institutions", small, "put").status_code == 202
    assert Institution.objects.count() == 1


def test_a_body_without_a_reason_is_recorded_as_such(admin: Client) -> None:
    body = {name: value for name, value in NEW.items() if name != "reason"}
    assert post(admin, "/institutions", body).status_code == 201
    assert TrailEntry.objects.get(event=AuditEvent.RECORD_ADDED).reason == NO_REASON


def test_one_that_exists_is_not_added_and_a_new_one_needs_its_name(
    admin: Client, institution: Institution
) -> None:
    again = post(admin, "/institutions", NEW | {"lei": LEI})
    assert error_of(again)["message"] == f"Institution {LEI} already exists in 2024."
    bare = {name: NEW[name] for name in ("activityYear", "lei", "reason")}
    assert "agency and name" in error_of(post(admin, "/institutions", bare, "put"))["message"]
    assert Institution.objects.count() == 1


def test_one_with_filings_or_under_a_hold_stays(admin: Client, filing: Filing) -> None:
    body = {"activityYear": 2024, "lei": LEI, "reason": "It merged."}
    assert post(admin, "/institutions", body, "delete").status_code == 400
    filing.delete()
    LegalHold.objects.create(lei=LEI, reason="A court asks.", actor_username="kim")
    assert post(admin, "/institutions", body, "delete").status_code == 400
    assert Institution.objects.filter(lei=LEI).exists()


def test_nobody_gives_themselves_a_right_to_file(operator: User, institution: Institution) -> None:
    client = personal(operator, Scope.WRITE_INSTITUTIONS)
    body = {"activityYear": 2024, "lei": LEI, "emailDomains": ["agency.example"], "reason": "x"}
    assert post(client, "/institutions", body, "put").status_code == 403
    institution.refresh_from_db()
    assert institution.email_domains == ["bank.example"]


@pytest.mark.parametrize("has_personal_token", [True, False])
def test_who_adds_a_domain_by_the_api_cannot_file_by_it_with_a_later_address(
    operator: User, institution: Institution, has_personal_token: bool
) -> None:
    client = (
        personal(operator, Scope.WRITE_INSTITUTIONS)
        if has_personal_token
        else make.program(operator)
    )
    body = {"activityYear": 2024, "lei": LEI, "emailDomains": ["new.example"], "reason": "x"}
    assert post(client, "/institutions", body, "put").status_code == 202
    operator.email = "kim@new.example"
    operator.save()
    tokens.known_identity(operator)
    operator.identities.update(email_verified=True)
    assert users.find_matching_institutions(operator) == []
    with pytest.raises(Forbidden):
        users.confirm_institutions(operator, [LEI], by=access.caller_of(operator))


def test_an_unknown_institution_or_quarter_is_not_found(
    admin: Client, institution: Institution
) -> None:
    Institution.objects.update(quarterly_filer=False)
    for path in (f"{LEI}/year/2019", f"{LEI}/year/2024/quarter/Q1", "529900NOSUCHBANK0000"):
        answer = admin.get(f"{API}/institutions/{path}")
        assert answer.status_code == 404
        assert error_of(answer)["path"] == f"/institutions/{path}"


# --- who may -------------------------------------------------------------------------------------


def test_a_personal_token_does_what_it_names_while_its_user_is_administrator(
    operator: User, institution: Institution
) -> None:
    reader = personal(operator, Scope.READ_INSTITUTIONS)
    assert reader.get(f"{API}/institutions/{LEI}").status_code == 200
    refused = post(reader, "/institutions", NEW)
    assert refused.status_code == 403
    assert Scope.WRITE_INSTITUTIONS in error_of(refused)["message"]
    assert TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED).exists()
    # It carries no role: elsewhere it reads nothing.
    assert (
        reader.get(f"/v2/filing/institutions/{LEI}/filings/2024/submissions/latest").status_code
        == 403
    )
    operator.groups.set([Group.objects.get(name="operator")])
    assert reader.get(f"{API}/institutions/{LEI}").status_code == 403


@pytest.mark.parametrize("role", ["hmda-operator", "hmda-helpdesk", "hmda-filer"])
def test_other_roles_may_nothing(role: str, institution: Institution) -> None:
    assert caller_with(role).get(f"{API}/institutions/{LEI}").status_code == 403
    assert Client().get(f"{API}/institutions/{LEI}").status_code == 401


def test_only_administrators_create_tokens_for_the_operator_api(operator: User) -> None:
    client = Client()
    client.force_login(operator)
    form = {"token-name": "panel", "token-days": "30", "token-scopes": [Scope.READ_FIGURES.value]}
    assert client.post("/filing/profile/tokens/", form).status_code == 200
    token = operator.personal_tokens.get()
    assert (token.leis, token.scopes) == ([], ["figures:read"])
    assert TrailEntry.objects.get(event=AuditEvent.PERSONAL_TOKEN_MADE).reason
    operator.groups.clear()
    assert client.post("/filing/profile/tokens/", form).status_code == 400
    assert operator.personal_tokens.count() == 1


# --- submissions ---------------------------------------------------------------------------------


@pytest.fixture
def two_signed(submission: Submission, filer: Caller) -> list[Submission]:
    both = [to_be_signed(submission), to_be_signed(add(submission.filing, 2), "cd" * 32)]
    for each in both:
        each.raw_file = default_storage.save(f"lar/{each}.txt", ContentFile(f"{each}".encode()))
        each.save()
        submissions.sign_submission(each, signed=True, by=filer)
    return both


def test_the_submissions_signed_first_and_last_are_found(
    admin: Client, two_signed: list[Submission]
) -> None:
    for which, number in (("oldest", 1), ("latest", 2)):
        answer = admin.get(f"{API}/institutions/{LEI.lower()}/signed/{which}/2024")
        assert answer.json()["id"]["sequenceNumber"] == number
        assert answer.json()["receipt"] == two_signed[number - 1].signature.receipt
    assert admin.get(f"{API}/institutions/{LEI}/signed/latest/2024-Q1").status_code == 404
    assert admin.get(f"{API}/institutions/{LEI}/signed/latest/2024-Q4").status_code == 400


def test_the_history_says_what_happened_when_by_whom_and_what_counts(
    admin: Client, two_signed: list[Submission]
) -> None:
    answer = admin.get(f"{API}/institutions/{LEI}/submissions/2024")
    first, second = answer.json()["submissions"]
    assert (first["counts"], second["counts"]) == (False, True)
    assert first["submission"]["id"]["sequenceNumber"] == 1
    assert first["history"][-1]["status"]["code"] == 15
    assert first["history"][-1]["by"] == two_signed[0].signature.signer_username
    assert first["history"][-1]["at"] == milliseconds(two_signed[0].changes.last().at)
    assert admin.get(f"{API}/institutions/{LEI}/submissions/2023").status_code == 404


def test_the_filed_text_is_an_attachment_and_each_download_is_recorded(
    admin: Client, two_signed: list[Submission]
) -> None:
    name = f"{LEI}-2024-2"
    for path in (f"/institutions/{LEI}/hmdafile/latest/2024", f"/receipt/{name}/hmdafile"):
        answer = admin.get(f"{API}{path}", {"reason": "Ticket 7"})
        assert b"".join(answer.streaming_content).decode() == name  # type: ignore[attr-defined]
        assert answer["Content-Disposition"] == f'attachment; filename="{name}.txt"'
    entries = TrailEntry.objects.filter(event=AuditEvent.FILE_DOWNLOADED)
    assert [entry.reason for entry in entries] == ["Ticket 7", "Ticket 7"]
    assert admin.get(f"{API}/receipt/{LEI}-2024-9/hmdafile").status_code == 404
    assert admin.get(f"{API}/receipt/24-1/hmdafile").status_code == 400


def test_lines_records_and_edits_are_counted(admin: Client, two_signed: list[Submission]) -> None:
    second = two_signed[1]
    second.edit_results.create(code="Q601", kind="quality", level="lar", total=3)
    second.edit_results.create(code="Q602", kind="quality", level="lar", total=1)
    second.edit_results.create(code="Q634", kind="macro", level="file", total=0, not_run="x")
    name = str(second)
    count = admin.get(f"{API}/receipt/{name}/count").json()
    assert count == {"submissionId": name, "lines": second.lines, "records": second.records}
    row = {
        "submissionId": name, "status": 15, "lines": second.lines,
        "syntactical": 0, "validity": 0, "quality": 2, "macro": 0,
    }  # fmt: skip
    one = admin.get(f"{API}/validate/{LEI}/submissions/count").json()
    assert one["years"][0]["submissions"][1] == row
    everybody = admin.get(f"{API}/validate/all/leis/submissions/count").json()
    assert (everybody["institutions"], everybody["total"]) == ([one], 1)
    batch = {"leis": [LEI.lower(), "529900NOSUCHBANK0000"]}
    answer = post(admin, "/validate/batch/leis/all/submissions/count", batch)
    assert answer.json() == {"institutions": [one]}
    filed = post(admin, "/validate/batch/leis/latest/submissions/signed/count", batch).json()
    assert filed["institutions"][0]["years"][0]["submissions"] == [row]
    assert admin.get(f"{API}/validate/529900NOSUCHBANK0000/submissions/count").status_code == 404


# --- follow-ups ----------------------------------------------------------------------------------


def publish(client: Client, topic: str, number: int = 2, **body: str) -> Any:
    path = f"/publish/{topic}/institutions/{LEI}/filings/2024/submissions/{number}"
    return post(client, path, body or {"reason": "It was lost."})


def test_each_follow_up_runs_again_and_is_recorded(
    admin: Client, two_signed: list[Submission]
) -> None:
    lar = ModifiedLar.objects.get(submission=two_signed[1])
    Job.objects.filter(pk=lar.job_id).update(state=Job.State.DONE)
    Job.objects.filter(mail__kind="receipt").update(state=Job.State.DONE)
    for topic in ("hmda-sign", "hmda-modified-lar", "hmda-analytics"):
        answer = publish(admin, topic)
        assert answer.status_code == 201, answer.content
        assert answer.json()["topic"] == topic
    assert publish(admin, "hmda-irs").status_code == 400  # the same job has just been queued
    assert Mail.objects.filter(submission=two_signed[1], kind="receipt").count() == 4
    assert Note.objects.get().reason == "It was lost."
    assert Computation.objects.filter(reason__endswith="It was lost.").exists()
    repeated = TrailEntry.objects.filter(event=AuditEvent.FOLLOW_UP_REPEATED)
    assert [entry.reason for entry in repeated] == ["It was lost."] * 3


def test_other_topics_and_what_is_not_signed_are_refused(
    admin: Client, submission: Submission
) -> None:
    other = publish(admin, "hmda-other", 1)
    assert other.status_code == 400
    assert "hmda-analytics, hmda-irs, hmda-modified-lar, hmda-sign" in error_of(other)["message"]
    assert publish(admin, "hmda-sign", 1).status_code == 400
    assert publish(admin, "hmda-sign", 7).status_code == 404


# --- figures -------------------------------------------------------------------------------------


def test_figures_are_listed_and_answered_as_json_and_csv(
    admin: Client, two_signed: list[Submission]
) -> None:
    listed = admin.get(f"{API}/figures").json()["figures"]
    assert {"figure", "title", "group", "columns", "parameters"} == set(listed[0])
    figure = admin.get(f"{API}/figures/total_filers/2024").json()
    assert (figure["figure"], figure["period"], figure["rows"]) == ("total_filers", "2024", [[1]])
    answer = admin.get(f"{API}/figures/total_filers/2024/csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines == [",".join(figure["columns"]), "1"]
    Institution.objects.update(is_test=True)
    assert admin.get(f"{API}/figures/total_filers/2024").json()["rows"] == [[0]]
    tests = admin.get(f"{API}/figures/total_filers/2024", {"testInstitutions": "true"})
    assert tests.json()["rows"] == [[1]]


def test_no_cell_of_a_figure_is_a_formula(admin: Client, two_signed: list[Submission]) -> None:
    Institution.objects.update(name="=HYPERLINK(1)")
    answer = admin.get(f"{API}/figures/filer_attempts/2024/csv")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert text.splitlines()[1].startswith("'=HYPERLINK(1),")


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("total_filers/2024", {"asOf": "x"}, 400),
        ("total_filers/2024", {"asOf": "2999-01-01"}, 400),
        ("signatures_by_day/2024", {"asOf": "0001-01-01"}, 400),
        ("total_filers/2024", {"n": "3"}, 400),
        ("total_filers/2024", {"testInstitutions": "1"}, 400),
        ("top_filers/2024", {"n": "x"}, 400),
        ("top_filers/2024", {"n": f"{1:020}{'9' * 20}"}, 400),
        ("total_filers/2019", {}, 404),
        ("no_figure/2024", {}, 404),
        ("total_filers/2024-Q9", {}, 404),
    ],
)
def test_a_figure_that_cannot_be_answered_says_why(
    admin: Client, filing: Filing, path: str, query: dict[str, str], status: int
) -> None:
    assert admin.get(f"{API}/figures/{path}", query).status_code == status

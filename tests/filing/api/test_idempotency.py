"""Idempotency keys of the filing API: each POST takes one, has one effect, and answers again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from filing import idempotency
from filing.models import (
    Filing,
    FilingPeriod,
    IdempotentRequest,
    Signature,
    Submission,
)
from filing.statuses import Status
from tests import make
from tests.addresses import ROUTES, of_api
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import post_json
from tests.filing.idempotency.posts import API, Post, client_of, new_lei
from tests.filing.receipts.signing import to_be_signed

pytestmark = pytest.mark.django_db
PATH = f"/v2/filing/institutions/{LEI}/filings/2024"
KEY = {"Idempotency-Key": "a-key"}


@pytest.fixture
def client(program: Client) -> Client:
    return program


def check_replayed(first: Any, again: Any) -> None:
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Content-Type"] == first["Content-Type"]
    assert again["Cache-Control"] == first["Cache-Control"]


def lar(content: bytes = b"1|content", name: str = "lar.txt") -> dict[str, Any]:
    return {"file": SimpleUploadedFile(name, content)}


@pytest.mark.parametrize("post", API, ids=str)
def test_a_call_sent_again_has_one_effect_and_the_first_answer(
    post: Post, open_period: FilingPeriod
) -> None:
    lei = new_lei(1)
    post.before(lei)
    client = client_of(lei, is_page=False)
    first, again, other = (post.send(client, lei, "a-key", variant) for variant in (0, 0, 1))
    assert first.status_code == post.status
    check_replayed(first, again)
    for header in ("Location", "Tus-Resumable"):
        assert again.headers.get(header) == first.headers.get(header)
    assert (other.status_code, error_of(other)["message"]) == (422, idempotency.OTHER_BODY)
    assert post.effect(lei) == 1
    # Another key is another call: what may be done once is refused.
    assert "Idempotency-Replayed" not in post.send(client, lei, "b", 0)


def test_a_key_belongs_to_one_user(client: Client, filing: Filing) -> None:
    first = client.post(f"{PATH}/submissions", headers=KEY)
    other = make.program("bob", leis=[LEI]).post(f"{PATH}/submissions", headers=KEY)
    assert (first.status_code, other.status_code) == (201, 201)
    assert Submission.objects.count() == 2


def test_who_may_not_file_gets_no_answer_and_nothing_is_stored(
    client: Client, filing: Filing
) -> None:
    other = make.program(leis=["529900OTHER000000042"])
    for stranger, status in ((Client(), 401), (other, 403)):
        assert stranger.post(f"{PATH}/submissions", headers=KEY).status_code == status
    assert not IdempotentRequest.objects.exists()
    client.post(f"{PATH}/submissions", headers=KEY)
    # Who loses the right to file does not get the first answer either.
    assert other.post(f"{PATH}/submissions", headers=KEY).status_code == 403


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("", "is empty"),
        ("k" * 256, "has 256 characters"),
        ("ümlaut", "has a character that is not printable ASCII"),
        ("a\tb", "has a character that is not printable ASCII"),
    ],
)
def test_an_invalid_key_is_refused(client: Client, filing: Filing, key: str, fault: str) -> None:
    for path in (f"{PATH}/submissions", f"{PATH}/submissions/1"):
        answer = client.post(path, headers={"Idempotency-Key": key})
        assert answer.status_code == 400
        assert error_of(answer) == {
            "httpStatus": 400,
            "message": f"Idempotency-Key {fault}; enter 1 to 255 printable ASCII characters, such "
            "as a UUID.",
            "path": path.removeprefix("/v2/filing"),
        }
    assert not IdempotentRequest.objects.exists()


def test_valid_keys(client: Client, filing: Filing) -> None:
    for key in ("k" * 255, ' !"~') * 2:
        answer = client.post(f"{PATH}/submissions", headers={"Idempotency-Key": key})
        assert answer.status_code == 201
    assert Submission.objects.count() == 2


def test_another_body_is_refused(client: Client, submission: Submission) -> None:
    to_be_signed(submission)
    path = f"{PATH}/submissions/1/sign"
    refused = post_json(client, path, {"signed": False}, headers=KEY)
    assert refused.status_code == 400
    assert post_json(client, path, {"signed": True}, headers=KEY).status_code == 422
    check_replayed(refused, post_json(client, path, {"signed": False}, headers=KEY))
    assert not Signature.objects.exists()


def test_a_replay_undoes_no_later_call(client: Client, submission: Submission) -> None:
    make.at(submission, Status.QUALITY_ERRORS, quality_exists=True)
    path = f"{PATH}/submissions/1/edits/quality"
    first = post_json(client, path, {"verified": True}, headers=KEY)
    assert first.status_code == 200
    changes = submission.changes.count()
    post_json(client, path, {"verified": False})
    check_replayed(first, post_json(client, path, {"verified": True}, headers=KEY))
    assert submission.changes.count() > changes
    assert not Submission.objects.get().quality_verified


def test_a_key_expires_after_seven_days(client: Client, filing: Filing) -> None:
    client.post(f"{PATH}/submissions", headers=KEY)
    client.post(f"{PATH}/submissions", headers={"Idempotency-Key": "b"})
    assert idempotency.clear_expired_keys() == 0
    row = IdempotentRequest.objects.first()
    assert row is not None
    assert timedelta(days=7) - timedelta(minutes=1) < row.kept_until - timezone.now()
    assert row.kept_until - timezone.now() <= timedelta(days=7)
    IdempotentRequest.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    again = client.post(f"{PATH}/submissions", headers=KEY)
    assert again.json()["id"]["sequenceNumber"] == 3
    check_replayed(again, client.post(f"{PATH}/submissions", headers=KEY))
    assert idempotency.clear_expired_keys() == 1
    assert IdempotentRequest.objects.count() == 1


def test_a_request_in_work_is_told_to_wait_until_its_lease_is_over(
    client: Client, filing: Filing
) -> None:
    first = client.post(f"{PATH}/submissions", headers=KEY)
    left = IdempotentRequest.objects.get()
    IdempotentRequest.objects.update(status=None, body="")
    busy = client.post(f"{PATH}/submissions", headers=KEY)
    assert (busy.status_code, busy["Retry-After"]) == (409, "1")
    assert error_of(busy)["message"] == idempotency.IN_WORK
    other = client.post(f"{PATH}/submissions", b"{}", headers=KEY, content_type="text/plain")
    assert other.status_code == 422
    IdempotentRequest.objects.update(lease_until=timezone.now())
    again = client.post(f"{PATH}/submissions", headers=KEY)
    assert again.json()["id"]["sequenceNumber"] == 2
    assert "Idempotency-Replayed" not in again
    assert first.status_code == 201
    # Who had left it would write nothing any more.
    with pytest.raises(idempotency.InWork):
        idempotency.KeyClaim(left.digest, left.owner).hold()


def form(content: bytes = b"1|content", name: str = "lar.txt", boundary: str = "one") -> Any:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = f"--{boundary}\r\n{head}".encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return {"data": body, "content_type": f"multipart/form-data; boundary={boundary}"}


BODIES: dict[str, dict[str, Any]] = {
    "file": form(),
    "boundary": form(boundary="another"),
    "content": form(b"2|content"),
    "name": form(name="other.txt"),
    "more": form(b'1|content\r\n--one\r\nContent-Disposition: form-data; name="more"\r\n\r\n1'),
    "workbook": form(b"PK\x03\x04" + b"x" * 3_000_000),
    "csv": form(name="lar.csv"),
    "empty": form(b""),
    "cut-off": form() | {"data": form()["data"][:-20]},
    "text": {"data": b"no form", "content_type": "text/plain"},
    "no-file": {"data": {"more": "1"}},
}


@pytest.mark.parametrize(
    "calls",
    [
        "file 202, file again, boundary again, content 422, name 422, more 422",
        # What is refused is kept.
        "workbook 400, workbook again, file 422, workbook again",
        "csv 400, csv again, file 422",
        "empty 400, empty again, file 422",
        # What did not arrive whole may be sent again.
        "cut-off 400, file 202, cut-off 400, file again",
        "text 400, file 202, text 400, file again",
        "no-file 400, file 202, no-file 400, file again",
    ],
)
def test_uploads_with_one_key(
    client: Client, submission: Submission, calls: str, settings: Any, tmp_path: Any
) -> None:
    """Each call has its status, or gets again the answer that is kept."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    kept: Any = None
    for call in calls.split(", "):
        body, expected = call.split()
        answer = client.post(f"{PATH}/submissions/1", headers=KEY, **BODIES[body])
        if expected == "again":
            check_replayed(kept, answer)
            continue
        assert (answer.status_code, "Idempotency-Replayed" in answer) == (int(expected), False)
        if kept is None or expected == "202":
            kept = answer
    assert [*tmp_path.iterdir()] == []


def test_an_upload_refused_before_it_arrives_is_kept_with_its_fingerprint(
    client: Client, filing: Filing
) -> None:
    path = f"{PATH}/submissions/1"
    first = client.post(path, lar(), headers=KEY)
    assert first.status_code == 400
    check_replayed(first, client.post(path, lar(), headers=KEY))
    assert client.post(path, lar(b"2"), headers=KEY).status_code == 422


def test_a_small_body_has_a_limit(client: Client, filing: Filing) -> None:
    large = {"data": b"x" * (1 << 20) + b"x", "content_type": "text/plain"}
    assert client.post(f"{PATH}/submissions", headers=KEY, **large).status_code == 413
    assert not IdempotentRequest.objects.exists()


def test_while_an_upload_arrives_its_key_is_not_taken_over(
    client: Client, submission: Submission
) -> None:
    path = f"{PATH}/submissions/1"
    client.post(path, lar(b""), headers=KEY)
    IdempotentRequest.objects.update(status=None, body="", lease_until=timezone.now())
    Submission.objects.update(status=Status.UPLOADING)
    busy = client.post(path, lar(), headers=KEY)
    assert (busy.status_code, busy["Retry-After"]) == (409, "1")
    Submission.objects.update(status=Status.CREATED)
    IdempotentRequest.objects.update(fingerprint="")
    first = client.post(path, lar(), headers=KEY)
    assert first.status_code == 202
    check_replayed(first, client.post(path, lar(), headers=KEY))


@pytest.mark.servers
def test_after_an_answer_of_500_or_more_the_key_may_be_used_again(
    client: Client, filing: Filing
) -> None:
    def fail(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith('INSERT INTO "filing_statuschange"'):
            raise DatabaseError
        return execute(sql, *more)

    client.raise_request_exception = False
    with connection.execute_wrapper(fail):
        assert client.post(f"{PATH}/submissions", headers=KEY).status_code == 500
    assert not IdempotentRequest.objects.exists()
    assert not Submission.objects.exists()
    first = client.post(f"{PATH}/submissions", headers=KEY)
    assert first.status_code == 201
    check_replayed(first, client.post(f"{PATH}/submissions", headers=KEY))


def test_every_post_of_the_filing_api_takes_a_key(submission: Submission) -> None:
    roles = ["hmda-preparer", "hmda-signer", "hmda-institution-administrator"]
    client = make.program("ada", leis=[LEI], roles=roles)
    posts = {
        name: address
        for name, address in ROUTES.items()
        if of_api(name) and hasattr(resolve(address).func.cls, "post")
    }
    assert {"filing:uploads", "filing:webhooks", "filing:replay"} < set(posts)
    assert len(posts) == 21
    for name, address in posts.items():
        answer = client.post(address, headers={"Idempotency-Key": ""})
        assert "Idempotency-Key is empty" in error_of(answer)["message"], name


def test_the_secret_of_a_webhook_is_stored_encrypted(client: Client) -> None:
    path, body = f"/v2/filing/institutions/{LEI}/webhooks", {"url": "https://bank.example/"}
    secret = post_json(client, path, body, headers=KEY).json()["secret"]
    assert secret.startswith("whsec_")
    (row,) = IdempotentRequest.objects.values_list()
    assert secret not in str(row)


@pytest.mark.servers
def test_an_upload_whose_claim_was_taken_over_is_not_opened(
    client: Client, submission: Submission
) -> None:
    taken_over = []

    def take_over(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith('UPDATE "filing_submission"') and not taken_over:
            # The process stood still for so long that its lease is over.
            IdempotentRequest.objects.update(lease_until=timezone.now())
            taken_over.append(idempotency.claim_key(IdempotentRequest.objects.get().digest))
        return execute(sql, *more)

    with connection.execute_wrapper(take_over):
        answer = client.post(f"{PATH}/submissions/1", lar(), headers=KEY)
    assert (answer.status_code, len(taken_over)) == (409, 1)
    assert [*submission.changes.values_list("event", flat=True)] == ["CREATED"]
    taken_over[0].forget()
    assert client.post(f"{PATH}/submissions/1", lar(), headers=KEY).status_code == 202


@pytest.mark.servers
def test_a_lease_that_was_held_just_now_is_not_taken_over(submission: Submission) -> None:
    first = idempotency.claim_key("digest")
    assert isinstance(first, idempotency.KeyClaim)
    IdempotentRequest.objects.update(lease_until=timezone.now())

    def held() -> bool:
        first.hold()  # between the look of the other one and its taking over
        return True

    with pytest.raises(idempotency.InWork):
        idempotency.claim_key("digest", may_take_over=held)
    first.hold()

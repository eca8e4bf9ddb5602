"""Who signed, when, and how many records: every area answers the same about one submission."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from filing import access, day_hours, submissions
from filing.client.command import main
from filing.models import Mail, Signature, Submission
from tests.conftest import LEI
from tests.filing.pages.steps import member, signed_in
from tests.filing.receipts.conftest import folder, to_be_signed  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db

PAGE = f"/filing/{LEI}/2024/1/"
API = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1"
PERSON = "Ann Example, ann@bank.example"
_WORDS = re.compile(r"[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M (?=E[SD]T)")
_LISTED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= E[SD]T)")


class Facts(NamedTuple):
    """What an area says; nothing where it does not say it."""

    person: str | None
    moment: datetime | None
    records: int | None


@pytest.fixture
def ann(submission: Submission) -> User:
    user = member("ann", LEI)
    user.first_name, user.last_name = "Ann", "Example"
    user.save()
    return user


@pytest.fixture
def signature(submission: Submission, ann: User, folder: Path) -> Signature:
    Submission.objects.filter(pk=submission.pk).update(raw_file="stored")
    return submissions.sign_submission(
        to_be_signed(submission), signed=True, by=access.caller_of(ann)
    )


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer
    body = b"".join(answer) if answer.streaming else answer.content
    return " ".join(re.sub(r"<[^>]*>", " ", body.decode("utf-8-sig")).split())


def in_words(page: str) -> Facts:
    """Return what a page or an email says: it names the zone beside the time."""
    shown = _WORDS.search(page)
    listed = _LISTED.search(page)
    moment = None
    if shown:
        moment = datetime.strptime(shown[0].strip(), "%B %d, %Y, %I:%M:%S %p")  # noqa: DTZ007
    elif listed:
        moment = datetime.fromisoformat(listed[0])
    records = re.search(r"(\d+) records?\b|[Rr]ecords:? (\d+)", page)
    return Facts(
        PERSON if PERSON in page else None,
        moment and moment.replace(tzinfo=day_hours.filing_zone()).astimezone(UTC),
        int(records[1] or records[2]) if records else None,
    )


def of_json(body: Any) -> Facts:
    at = datetime.fromisoformat(body["signedAt"]).replace(microsecond=0)
    return Facts(None, at, body["records"])


def answers(
    signature: Signature, ann: User, desk: Client, folder: Path, capsys: Any
) -> Iterator[tuple[str, Facts]]:
    """Yield what each area says about the signature."""
    filer = signed_in(ann)
    token = {
        "authorization": f"Bearer {tokens.issue_token(tokens.claims_of_user(ann), seconds=60)}"
    }
    page = f"{PAGE}receipt/"
    yield "receipt page, and its print", in_words(text(filer.get(page)))
    yield "receipt page, as staff see it", in_words(text(desk.get(page)))
    receipt = filer.get(f"{page}?format=json")
    yield "receipt file", of_json(receipt.json())
    (mail, _) = Mail.objects.filter(kind="receipt")
    yield "email", in_words(" ".join(mail.text.split()))
    body = filer.get(f"{API}/sign", headers=token).json()
    at = datetime.fromtimestamp(body["timestamp"] // 1000, UTC)
    assert (body["email"], body["signerUsername"]) == ("ann@bank.example", "ann")
    yield "API", Facts(None, at, None)
    yield "API, receipt file", of_json(filer.get(f"{API}/receipt", headers=token).json())
    checked = Client().post(
        "/v2/public/receipts/check", receipt.content, content_type="application/json"
    )
    yield "check of receipts", of_json(checked.json())
    checked = Client().post("/receipts/check/", {"receipt": signature.receipt})
    yield "page of the check", in_words(text(checked))
    yield "client", of_client(receipt.content, folder, capsys)
    yield "page of the help desk", in_words(text(desk.get(of_desk("change", signature))))
    exported = desk.get(reverse("admin:filing_submission_export_csv"))
    (row,) = csv.DictReader(b"".join(exported).decode("utf-8-sig").splitlines())
    at = datetime.fromisoformat(row["Signed (America/New_York)"]).replace(
        tzinfo=day_hours.filing_zone()
    )
    yield "export", Facts(row["Signed by"], at.astimezone(UTC), int(row["Records"]))
    yield "page of the submission", in_words(text(filer.get(PAGE)))
    yield "page of the filing", in_words(text(filer.get(f"/filing/{LEI}/2024/")))
    yield (
        "list of signatures",
        in_words(text(desk.get(reverse("admin:filing_signature_changelist")))),
    )


def of_desk(page: str, signature: Signature) -> str:
    return reverse(f"admin:filing_submission_{page}", args=[signature.submission_id])


def of_client(receipt: bytes, folder: Path, capsys: Any) -> Facts:
    """Return what the command line client prints about a receipt file, checked by its keys."""
    file, keys = folder.parent / "receipt.json", folder.parent / "keys.json"
    file.write_bytes(receipt)
    keys.write_text(json.dumps(Client().get("/.well-known/receipt-keys.json").json()))
    capsys.readouterr()
    assert main(["check-receipt", str(file), "--keys", str(keys)]) == 0
    printed = capsys.readouterr().out
    at, records = re.search(r"signed at (\S+)\..*records: (\d+)", printed, re.S).groups()  # type: ignore[union-attr]
    return Facts(None, datetime.fromisoformat(at).replace(microsecond=0), int(records))


def test_every_area_says_the_same_of_who_signed_when_and_what(
    signature: Signature, ann: User, admin_client: Client, folder: Path, capsys: Any
) -> None:
    said = dict(answers(signature, ann, admin_client, folder, capsys))
    true = Facts(PERSON, signature.signed_at.replace(microsecond=0), 60)
    for name in Facts._fields:
        different = {
            area: getattr(facts, name)
            for area, facts in said.items()
            if getattr(facts, name) not in {None, getattr(true, name)}
        }
        assert different == {}, name
    silent = {
        name: [a for a, f in said.items() if getattr(f, name) is None] for name in true._fields
    }
    assert silent == {
        "person": [
            "receipt file",
            "API",
            "API, receipt file",
            "check of receipts",
            "page of the check",
            "client",
            "page of the submission",
            "page of the filing",
        ],
        "moment": ["page of the submission", "page of the filing"],
        "records": ["API", "page of the filing", "list of signatures"],
    }

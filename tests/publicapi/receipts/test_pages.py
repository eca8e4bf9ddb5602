"""The page that checks receipts, as a browser without script uses it."""

from __future__ import annotations

import hashlib
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing import day_hours, submissions
from filing.access import Caller
from filing.models import Signature, Submission
from tests.filing.receipts.signing import SHA256, to_be_signed
from tests.publicapi.uploads import left_behind

__all__ = ["left_behind"]  # a fixture for all tests here: nothing may stay of a file
pytestmark = pytest.mark.django_db

PAGE = "/receipts/check/"
GENUINE, NOT_GENUINE = "The receipt is genuine", "The receipt is not genuine"
LAR = b"1|Test Bank|2024|4|...\n2|...\n" * 1000


def html(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return unescape(answer.content.decode())


def sent(client: Client, kind: str, chosen: bytes | None, **fields: str) -> Any:
    files = {} if chosen is None else {"file": SimpleUploadedFile("chosen.txt", chosen)}
    return client.post(PAGE, {"kind": kind, **fields, **files})


def test_a_number_is_checked(client: Client, signature: Signature) -> None:
    text = html(client.post(PAGE, {"receipt": f" {signature.receipt} "}))
    plain = client.post(
        PAGE, f"receipt={signature.receipt}", content_type="application/x-www-form-urlencoded"
    )
    assert GENUINE in html(plain)
    assert GENUINE in text
    signed = day_hours.to_filing_zone(signature.signed_at).strftime("%Y, %-I:%M:%S %p E")
    assert re.search(rf"<dt>Signed</dt><dd>[A-Z][a-z]+ [0-9]+, {signed}[SD]T</dd>", text)
    for fact in (signature.receipt, SHA256, "60", "Not replaced"):
        assert f">{fact}<" in text
    assert f'value="{signature.receipt}"' in text


@pytest.mark.parametrize(
    ("number", "status", "message"),
    [("", 400, "Enter a receipt number."), ("<b>1", 404, "There is no receipt <b>1")],
)
def test_other_numbers_are_refused(client, db, number: str, status: int, message: str) -> None:
    text = html(client.post(PAGE, {"receipt": number}), status)
    assert f'<a href="#id_receipt">{message}' in text
    assert "<title>Error: " in text


def test_a_receipt_file_is_checked_as_a_file_and_as_text(client, file) -> None:
    assert GENUINE in html(sent(client, "content", file))
    pasted = sent(client, "content", None, content=f"  {file.decode()}\r\n")
    assert GENUINE in html(pasted)


def test_a_changed_receipt_file_is_not_genuine(client, file) -> None:
    changed = file.replace(b'"records":60', b'"records":61')
    for answer in (
        sent(client, "content", changed),
        sent(client, "content", None, content=changed.decode()),
        sent(client, "content", file + b"\n"),
    ):
        text = html(answer)
        assert NOT_GENUINE in text
        assert "was changed: " in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no json", "This is not JSON."),
        (b" " * 70_000, "The file has 70000 bytes, far more than a receipt"),
        (None, "Choose a receipt file, or paste its content."),
        (b"", "This is not JSON."),
    ],
)
def test_other_files_are_refused(client, db, content: bytes | None, message: str) -> None:
    assert f'<a href="#receipt-file">{message}' in html(sent(client, "content", content), 400)


def test_a_filed_file_is_recognized_and_not_kept(client, submission, filer) -> None:
    signature = filed(submission, filer)
    text = html(sent(client, "filed", LAR))
    assert GENUINE in text
    assert signature.receipt in text
    assert GENUINE not in html(sent(client, "filed", None), 400)
    text = html(sent(client, "filed", LAR + b"\n"), 404)
    assert '<a href="#filed-file">No file with the SHA-256' in text


def test_a_file_over_the_limit_is_refused(client, db, settings) -> None:
    settings.PUBLIC_UPLOAD_LIMIT = 1000
    text = html(sent(client, "filed", LAR), 413)
    assert "larger than 1000 bytes" in text


def test_a_script_sends_the_hash_only_and_gets_the_answer_only(client, submission, filer) -> None:
    filed(submission, filer)
    digest = hashlib.sha256(LAR).hexdigest()
    text = html(client.post(PAGE, {"sha256": digest}, headers={"HX-Request": "true"}))
    assert GENUINE in text
    assert "<html" not in text
    unknown = client.post(PAGE, {"sha256": "cd" * 32}, headers={"HX-Request": "true"})
    assert "No file with the SHA-256" in html(unknown)


def test_a_replaced_receipt_says_so(client, signature, submission, filer) -> None:
    new = submissions.create_submission(lei=submission.lei, period=submission.period, by=filer)
    second = submissions.sign_submission(to_be_signed(new, "cd" * 32), signed=True, by=filer)
    text = html(client.post(PAGE, {"receipt": signature.receipt}))
    assert "A later filing replaced it." in text
    assert f">{second.receipt}<" in text


def filed(submission: Submission, filer: Caller) -> Signature:
    ready = to_be_signed(submission, hashlib.sha256(LAR).hexdigest())
    return submissions.sign_submission(ready, signed=True, by=filer)

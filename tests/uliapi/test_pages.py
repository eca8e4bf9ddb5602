"""The page of the check digit, as a browser without script uses it."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.uliapi.identifiers import LOAN_ID

pytestmark = pytest.mark.django_db
PAGE = "/tools/check-digit/"


def asked(client: Client, identifier: str, do: str, **more: Any) -> str:
    answer = client.post(PAGE, {"identifier": identifier, "do": do}, **more)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def sent(client: Client, which: str, content: bytes, name: str = "ids.txt") -> Any:
    address = reverse(f"check-digit-{which}")
    return client.post(address, {"file": SimpleUploadedFile(name, content)})


@pytest.mark.parametrize(
    ("identifier", "do", "told"),
    [
        (LOAN_ID, "generate", "The check digits are 38"),
        (f" {LOAN_ID} ", "", f"<dd><code>{LOAN_ID}38</code></dd>"),
        (f"{LOAN_ID}38", "validate", "The ULI is valid"),
        (f"{LOAN_ID}39", "validate", "The ULI is not valid"),
        (f"{LOAN_ID}-", "generate", "Loan ID is not alphanumeric"),
        ("", "validate", "ULI is not between 23 and 45 characters long"),
        ("\0", "validate", "ULI is not alphanumeric"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_page_answers_about_one_identifier(client, identifier, do, told, headers):
    html = asked(client, identifier, do, headers=headers)
    assert told in html
    assert ("<html" in html) is not bool(headers)


def test_what_was_typed_is_shown_as_text():
    html = Client().post(PAGE, {"identifier": "<b>", "do": "validate"}).content.decode()
    assert 'value="&lt;b&gt;"' in html
    assert "<b>" not in html


def test_a_form_of_another_site_is_refused():
    client = Client(enforce_csrf_checks=True)
    assert client.post(PAGE, {"identifier": LOAN_ID, "do": "generate"}).status_code == 403


@pytest.mark.parametrize(
    ("which", "rows"),
    [
        ("generated", ["loanId,checkDigit,uli", f"{LOAN_ID},38,{LOAN_ID}38", "'=1,Error,"]),
        ("validated", ["uli,isValid", f"{LOAN_ID},false", "'=1,ULI is not alphanumeric"]),
    ],
)
def test_a_file_is_answered_for_a_spreadsheet(which, rows):
    answer = sent(Client(enforce_csrf_checks=True), which, f"{LOAN_ID}\n=1\n".encode())
    told = answer.getvalue().decode().splitlines()
    assert answer["Content-Type"] == "text/csv; charset=UTF-8"
    assert answer["Content-Disposition"] == f'attachment; filename="{which}-ids.csv"'
    assert told[:2] == rows[:2]
    assert told[2].startswith(rows[2])


@pytest.mark.parametrize(
    ("name", "saved_as"),
    [
        ("loans.2024.csv", 'filename="generated-loans.2024.csv"'),
        ('a"b.txt', 'filename="generated-a\\"b.csv"'),
        ("é.txt", "filename*=utf-8''generated-%C3%A9.csv"),
        ("../../x.txt", 'filename="generated-x.csv"'),
    ],
)
def test_the_answer_is_named_after_the_file(client, name, saved_as):
    answer = sent(client, "generated", b"", name)
    assert answer["Content-Disposition"] == f"attachment; {saved_as}"
    assert answer.getvalue() == b"loanId,checkDigit,uli\n"

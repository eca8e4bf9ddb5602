"""Each field of each row of an institution, asked of every address by everybody: who reads what.

The table is `filing.access.fields`. A marker is looked for in each answer, whatever its form.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.access import fields
from filing.access.fields import Readers
from filing.models import Submission, TrailEntry
from filing.submissions import watching
from tests import addresses
from tests.addresses import CALLERS, browsers, table_of  # noqa: F401 -- fixtures
from tests.conftest import LEI
from tests.filing.conftest import census  # noqa: F401 -- a fixture
from tests.filing.submissions.reasons import ReasoningClient
from tests.marked_rows import Marked, each_row, marked_rows

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
OWNER = "owner"
READS = {
    "anonymous": Readers.ANYONE,
    "other": Readers.ANYONE,
    "filer": Readers.FILERS,
    OWNER: Readers.OWNER,
    "help desk": Readers.STAFF,
    "operator": Readers.STAFF,
    "administrator": Readers.STAFF,
}
# What follows an address, by its name: another form of its answer, or a search.
QUERIES = {
    "filing-receipt": "?format=json",
    "publicapi:institutions": f"?lei={LEI}",
    "publicapi:institutions-of-year": f"?lei={LEI}",
    "admin:filing_submission_find": f"?q={LEI}",
    "admin:filing_trailentry_who_looked": f"?lei={LEI}",
}
# What is shown only where something else is missing, or to people whom no marked row is about.
SELDOM = {
    (User, "username"),  # to a person without a name
    *((TrailEntry, name) for name in ("about", "actor_email", "actor_username", "reason")),
}


@pytest.fixture
def marked(submission: Submission, census: None, tmp_path: Path) -> Marked:
    return marked_rows(submission, tmp_path)


@pytest.fixture
def readers(browsers: Any, marked: Marked) -> dict[str, tuple[Client, Client]]:
    """Of each reader a browser, with which staff give reasons, and a program with a token."""
    for browser, _ in browsers.values():
        browser.__class__ = ReasoningClient
    owner = ReasoningClient()
    owner.force_login(User.objects.get(pk=next(each_row(marked, User))))
    return {**browsers, OWNER: (owner, Client())}


def asked(marked: Marked) -> Iterator[tuple[str, str]]:
    """Yield the name of each address with each of its variations."""
    parts = {"webhook": marked.rows[_named("Webhook")][0].pk, "receipt": _receipt(marked)}
    parts = {name: str(part) for name, part in parts.items()}
    with pytest.MonkeyPatch.context() as patch:
        for name, part in parts.items():
            patch.setitem(addresses.PARTS, name, part)
        patch.setitem(addresses.PARTS, "code", "Q611")
        routes = list(addresses.routes())
    for name, address in routes:
        if name in {"sign-out", "identity:logout", "/admin/logout/"}:
            continue
        keys = list(each_row(marked, table_of(name))) or [1]
        for key in keys if "{key}" in address else keys[:1]:
            yield from ((name, each) for each in _variations(name, address.format(key=key)))


def _variations(name: str, address: str) -> Iterator[str]:
    yield address
    if name in QUERIES:
        yield f"{address}{QUERIES[name]}"
    for number in "234":  # the other submissions of the filing
        for part in ("/2024/{}/", "/submissions/{}"):
            if part.format(1) in address:
                yield address.replace(part.format(1), part.format(number))


def _named(name: str) -> Any:
    return next(model for model in fields.FIELDS if model.__name__ == name)


def _receipt(marked: Marked) -> str:
    return str(marked.rows[_named("Signature")][0])


def content(answer: Any) -> str:
    """Return all that an answer says, its headers too; of a workbook, what is in its cells."""
    body = b"".join(answer) if answer.streaming else answer.content
    if body.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(body)) as book:
            body = b"".join(book.read(name) for name in book.namelist())
    text = html.unescape(body.decode("utf-8", "replace"))
    return f"{answer.headers} {text}".replace("<wbr>", "")


def sent(marked: Marked, client: Client) -> Iterator[tuple[str, Any]]:
    """Yield the answers to forms whose answers name something of the institution."""
    sha256 = next(
        m for m, field in marked.markers.items() if field == (_named("Signature"), "sha256")
    )
    check, page = "/v2/public/receipts/check", "/receipts/check/"
    yield check, client.post(check, {"sha256": sha256}, content_type="application/json")
    yield page, client.post(page, {"receipt": _receipt(marked)})
    looked, why = f"/admin/filing/trailentry/who-looked/?lei={LEI}", {"reason": "Asked."}
    yield looked, client.post(looked, why)
    export = "/admin/filing/institution/export/"
    for form in ("csv", "xlsx"):
        yield f"{export} {form}", client.post(export, {"format": form})


def test_each_field_is_read_by_those_whom_the_table_names(
    marked: Marked, readers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LISTEN_SECONDS", 0)
    places: dict[tuple[Any, str], dict[str, str]] = defaultdict(dict)

    def look(reader: str, where: str, answer: Any) -> None:
        text = content(answer)
        for marker, field in marked.markers.items():
            if marker in text:
                places[field].setdefault(reader, where)

    for name, address in asked(marked):
        for reader in (*CALLERS, OWNER):
            browser, program = readers[reader]
            is_api = address.startswith(("/v2/", "/hmda-auth/"))
            look(reader, f"{name} {address}", (program if is_api else browser).get(address))
    for reader in (*CALLERS, OWNER):
        for where, answer in sent(marked, readers[reader][0]):
            look(reader, where, answer)

    leaks = {
        f"{model.__name__}.{name} to {reader}": where
        for (model, name), seen in places.items()
        for reader, where in seen.items()
        if not fields.may_read_field(READS[reader], model, name)
    }
    assert leaks == {}
    seen_by = {
        field: max((READS[reader] for reader in places[field]), default=Readers.NO_ONE)
        for field in marked.markers.values()
    }
    differences = {
        f"{model.__name__}.{name}": (seen.name, fields.readers_of(model, name).name)
        for (model, name), seen in seen_by.items()
        if seen is not fields.readers_of(model, name) and (model, name) not in SELDOM
    }
    assert differences == {}, "read by, and in the table"

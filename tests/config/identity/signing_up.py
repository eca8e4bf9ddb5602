"""A person who signs up with the embedded provider and reads its emails."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.db.models import F
from django.test import Client

from filing.emails import requested
from filing.models import AuditEvent, Mail, TrailEntry
from tests.config.identity.client import read_hidden_fields
from tests.filing.mail_server import outbox

PASSWORD = "quiet lake 9 morning"
ANSWERS = {
    "first_name": "Ann",
    "last_name": "Example",
    "email": "ann@bank.example",
    "password": PASSWORD,
}


def sign_up(browser: Client, **changes: str) -> Any:
    return browser.post("/sign-up/", {**ANSWERS, **changes})


def let_the_pause_pass() -> None:
    """Let the last emails be older than the pause between two to one address."""
    Mail.objects.filter(sent_at__isnull=False).update(sent_at=F("sent_at") - requested.PAUSE)


def link(number: int = -1) -> str:
    text = outbox()[number].body
    found = re.search(r"^http://localhost:8000(/\S+)$", text, re.MULTILINE)
    assert found, text
    return found[1]


def enter(browser: Client, username: str, password: str, onward: str = "/filing/profile/") -> Any:
    """Sign in through all redirects, as a browser does, and return the page it ends at."""
    form = browser.get("/sign-in/", {"next": onward}, follow=True)
    if form.redirect_chain[-1][0].startswith("/filing/"):
        return form
    address = urlsplit(form.redirect_chain[-1][0]).path
    filled_in = read_hidden_fields(form) | {"username": username, "password": password}
    return browser.post(address, filled_in, follow=True)


def told(event: AuditEvent) -> list[str]:
    return [entry.about for entry in TrailEntry.objects.filter(event=event)]

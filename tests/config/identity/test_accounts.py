"""Accounts of the embedded provider: forgotten passwords, sessions, disabled accounts."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing.emails import requested
from filing.models import AuditEvent, Identity, Job, Mail, TrailEntry
from filing.people import accounts
from tests.config.identity.client import REALM
from tests.config.identity.signing_up import (
    ANSWERS,
    PASSWORD,
    enter,
    let_the_pause_pass,
    link,
    sign_up,
    told,
)
from tests.filing.mail_server import closed_port, outbox, reach, serving

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site", "bank"),
]
NEW_PASSWORD = "another long 9 password"


def add_user(name: str = "ben", **facts: Any) -> User:
    return User.objects.create_user(name, f"{name}@bank.example", PASSWORD, **facts)


def choose_password(visitor: Client, path: str, password: str) -> Any:
    """Choose a new password by the link of an email."""
    address = visitor.get(path, follow=True).redirect_chain[-1][0]
    return visitor.post(address, {"new_password1": password, "new_password2": password})


def test_a_forgotten_password_is_replaced_by_mail(visitor: Client) -> None:
    add_user()
    known = visitor.post("/forgotten/", {"email": "ben@bank.example"})
    unknown = visitor.post("/forgotten/", {"email": "eve@bank.example"})
    assert known["Location"] == unknown["Location"] == "/forgotten/sent/"
    assert [message.to for message in outbox()] == [["ben@bank.example"]]
    path = link()
    assert choose_password(visitor, path, NEW_PASSWORD).status_code == 302
    assert told(AuditEvent.PASSWORD_CHANGED) == ["user ben, by email"]
    assert "Your profile" in enter(visitor, "ben", NEW_PASSWORD).text
    assert "no longer valid" in visitor.get(path, follow=True).text


def test_for_known_and_unknown_addresses_the_same_is_done(visitor: Client) -> None:
    add_user()
    add_user("cid", is_active=False)
    done = []
    for name in ("ben", "eve", "cid", "ben", "eve"):  # the first two once more, in their pause
        with CaptureQueriesContext(connection) as statements:
            answer = visitor.post("/forgotten/", {"email": f"{name}@bank.example"})
        written = [re.sub(r"'[^']*'|\d+", "?", each["sql"]) for each in statements]
        headers = {name: value for name, value in answer.items() if name != "X-Request-ID"}
        done.append((answer.status_code, headers, written))
        outbox()
    assert done[0][2]
    assert [each for each in done if each != done[0]] == []


@pytest.mark.servers
def test_signing_out_ends_the_session_of_the_provider_too(visitor: Client) -> None:
    add_user()
    enter(visitor, "ben", PASSWORD)
    page = visitor.post("/sign-out/", follow=True)
    assert page.redirect_chain[-1][0] == "http://localhost/"
    form = visitor.get("/filing/profile/", follow=True)
    assert form.redirect_chain[-1][0].startswith(f"{REALM}/login?")


def in_use(visitor: Client) -> User:
    """Return the user of an account that was signed up for and confirmed, signed out again."""
    sign_up(visitor)
    visitor.post(link(), {"password": PASSWORD})
    visitor.logout()
    let_the_pause_pass()
    return User.objects.get(username=ANSWERS["email"])


def disable(user: User) -> None:
    """Let the account have been unused for long enough, with a warning in time."""
    User.objects.update(last_login=timezone.now() - timedelta(days=400))
    User.objects.update(date_joined=timezone.now() - timedelta(days=400))
    long_ago = timezone.now() - timedelta(days=400)
    Identity.objects.update(added_at=long_ago, signed_in_at=long_ago, used_at=None)
    accounts.check_unused_accounts(now=timezone.now() - timedelta(days=20))
    assert accounts.check_unused_accounts().disabled == 1


@pytest.mark.servers
def test_a_disabled_account_says_so_to_whoever_has_its_password_and_to_nobody_else(
    visitor: Client, settings: Any
) -> None:
    settings.CONTACT_EMAIL = "help@service.example"
    user = in_use(visitor)
    disable(user)
    page = enter(visitor, user.username, PASSWORD)
    assert "This account is disabled." in page.text
    assert "contact the help desk: help@service.example." in page.text
    for name, password in ((user.username, "wrong"), ("nobody@bank.example", PASSWORD)):
        page = enter(visitor, name, password)
        assert "do not match an active account" in page.text
        assert "disabled" not in page.text
    assert "_auth_user_id" not in visitor.session
    refused = TrailEntry.objects.filter(event=AuditEvent.SIGN_IN_REFUSED)
    assert "the account is disabled" in refused.values_list("reason", flat=True)


def test_there_is_one_pause_for_all_that_anyone_can_have_written_to_an_address(
    visitor: Client,
) -> None:
    User.objects.create_user("ann@bank.example", "Ann@bank.example", PASSWORD)
    sign_up(visitor)
    visitor.post("/forgotten/", {"email": "ANN@bank.example"})
    assert len(outbox()) == 1
    visitor.post("/forgotten/", {"email": "ann@Bank.example"})
    assert len(outbox()) == 1
    let_the_pause_pass()
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    assert len(outbox()) == 2


def test_while_the_mail_server_is_away_the_pages_answer_as_ever_and_the_newest_link_arrives(
    visitor: Client, settings: Any
) -> None:
    add_user()
    reach(settings, port := closed_port())
    for password in ("another pass phrase 7", PASSWORD):
        assert sign_up(visitor, password=password)["Location"] == "/sign-up/sent/"
        answer = visitor.post("/forgotten/", {"email": "ben@bank.example"})
        assert answer["Location"] == "/forgotten/sent/"
        outbox()
        assert {job.state for job in Job.objects.all()} == {"queued"}
    with serving(port) as server:
        Job.objects.update(not_before=timezone.now())
        outbox()
        assert sorted(str(each["To"]) for each in server.mails) == [
            "ann@bank.example",
            "ben@bank.example",
        ]
        texts = {str(each["To"]): each.get_content() for each in server.mails}
    confirm = re.search(r"http://localhost:8000(/sign-up/\S+)", texts["ann@bank.example"])
    assert confirm
    assert visitor.post(confirm[1], {"password": PASSWORD}).status_code == 302
    assert User.objects.get(username="ann@bank.example").is_active
    assert "/forgotten/" in texts["ben@bank.example"]
    assert not Job.objects.exclude(state="done").exists()


def test_a_link_is_in_the_email_alone(visitor: Client, admin_client: Client) -> None:
    add_user()
    sign_up(visitor)
    visitor.post("/forgotten/", {"email": "ben@bank.example"})
    paths = [urlsplit(link(number)).path for number in (0, 1)]
    for path, written in zip(paths, Mail.objects.order_by("pk"), strict=True):
        token = path.strip("/").split("/")[-1]
        page = admin_client.get(f"/admin/filing/mail/{written.pk}/change/").text
        kept = str([list(Mail.objects.values()), list(Job.objects.values()), page])
        assert token not in kept
        assert requested.LEFT_OUT in written.text
        assert "Someone, we hope you," in written.text


def test_links_do_not_name_the_host_that_a_request_claims(visitor: Client) -> None:
    Client(headers={"host": "evil.example"}).post("/sign-up/", ANSWERS)
    add_user()
    Client(headers={"host": "evil.example"}).post("/forgotten/", {"email": "ben@bank.example"})
    assert len(outbox()) == 2
    assert all("evil.example" not in message.body for message in outbox())


def test_accounts_that_share_an_address_get_one_email_with_a_link_for_each(
    visitor: Client,
) -> None:
    for name, address in (("ben", "Ben@bank.example"), ("desk", "ben@bank.example")):
        User.objects.create_user(name, address, "a long enough pass phrase")
    User.objects.create_user("gone", "ben@bank.example", "x", is_active=False)
    visitor.post("/forgotten/", {"email": "ben@bank.example"})
    (sent,) = outbox()
    assert sent.to == ["Ben@bank.example"]
    links = re.findall(r"^Account (\w+):\nhttp://localhost:8000(/\S+)$", sent.body, re.MULTILINE)
    assert [name for name, _ in links] == ["ben", "desk"]
    for name, path in links:
        assert choose_password(visitor, path, f"{PASSWORD} {name}").status_code == 302
        assert User.objects.get(username=name).check_password(f"{PASSWORD} {name}")

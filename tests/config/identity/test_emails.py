"""The emails of the embedded provider: how many, to whom, and their links."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing.emails import requested
from filing.models import Job, Mail
from tests.config.identity.signing_up import (
    ANSWERS,
    PASSWORD,
    let_the_pause_pass,
    link,
    sign_up,
)
from tests.filing.mail_server import closed_port, outbox, reach, serving

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site", "bank"),
    pytest.mark.any_database,
]


@pytest.fixture
def browser() -> Client:
    return Client(headers={"host": "localhost"})


def test_one_address_gets_few_mails(browser: Client) -> None:
    for _ in range(3):
        sign_up(browser)
    assert len(outbox()) == 1


def test_who_fills_in_the_form_again_during_the_pause_gets_one_more_email_after_it(
    browser: Client,
) -> None:
    sign_up(browser)
    outbox()
    sign_up(browser, password="another pass phrase 7")
    sign_up(browser, password="yet another phrase 8")
    assert len(outbox()) == 1
    assert browser.get(link(0)).status_code == 410
    let_the_pause_pass()
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    assert len(outbox()) == 2
    assert browser.get(link()).status_code == 200
    assert set(Mail.objects.values_list("job__state", "job__attempts")) == {("done", 1)}


def test_there_is_one_pause_for_all_that_anyone_can_have_written_to_an_address(
    browser: Client,
) -> None:
    User.objects.create_user("ann@bank.example", "Ann@bank.example", PASSWORD)
    sign_up(browser)
    browser.post("/forgotten/", {"email": "ANN@bank.example"})
    assert len(outbox()) == 1
    browser.post("/forgotten/", {"email": "ann@Bank.example"})
    assert len(outbox()) == 1
    let_the_pause_pass()
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    assert len(outbox()) == 2


def test_while_the_mail_server_is_away_the_pages_answer_as_ever_and_the_newest_link_arrives(
    browser: Client, settings: Any
) -> None:
    User.objects.create_user("ben", "ben@bank.example", "a long enough pass phrase")
    reach(settings, port := closed_port())
    for password in ("another pass phrase 7", PASSWORD):
        assert sign_up(browser, password=password)["Location"] == "/sign-up/sent/"
        answer = browser.post("/forgotten/", {"email": "ben@bank.example"})
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
    assert browser.post(confirm[1], {"password": PASSWORD}).status_code == 302
    assert User.objects.get(username="ann@bank.example").is_active
    assert "/forgotten/" in texts["ben@bank.example"]
    assert not Job.objects.exclude(state="done").exists()


def test_a_link_is_in_the_email_alone(browser: Client, admin_client: Client) -> None:
    User.objects.create_user("ben", "ben@bank.example", "a long enough pass phrase")
    sign_up(browser)
    browser.post("/forgotten/", {"email": "ben@bank.example"})
    paths = [urlsplit(link(number)).path for number in (0, 1)]
    for path, written in zip(paths, Mail.objects.order_by("pk"), strict=True):
        token = path.strip("/").split("/")[-1]
        page = admin_client.get(f"/admin/filing/mail/{written.pk}/change/").text
        kept = str([list(Mail.objects.values()), list(Job.objects.values()), page])
        assert token not in kept
        assert requested.LEFT_OUT in written.text
        assert "Someone, we hope you," in written.text


def test_a_link_is_good_for_a_day_from_when_it_was_sent(browser: Client, settings: Any) -> None:
    sign_up(browser)
    settings.PASSWORD_RESET_TIMEOUT = 1000
    Mail.objects.update(made_at=timezone.now() - timedelta(hours=3))
    assert browser.get(link()).status_code == 200


def test_links_do_not_name_the_host_that_a_request_claims(browser: Client) -> None:
    Client(headers={"host": "evil.example"}).post("/sign-up/", ANSWERS)
    User.objects.create_user("ben", "ben@bank.example", "a long enough pass phrase")
    Client(headers={"host": "evil.example"}).post("/forgotten/", {"email": "ben@bank.example"})
    assert len(outbox()) == 2
    assert all("evil.example" not in message.body for message in outbox())


def test_where_mails_go_to_the_log_the_page_says_where_that_is(
    browser: Client, settings: Any
) -> None:
    log = str(settings.DATA_DIR / "log" / "worker-small.log")
    assert log in browser.get("/sign-up/sent/").text
    settings.EMAIL_URL = "smtp://mail.example"
    assert log not in browser.get("/sign-up/sent/").text

"""Signing up with the embedded provider, up to the first sign-in; forgotten passwords."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing import access, accounts, people, requested_emails, session_tokens
from filing.models import Happening, Identity, Institution, Job, Mail, TrailEntry
from tests.config.identity.client import REALM, who
from tests.filing.mail_server import closed_port, outbox, reach, serving

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_site", "bank")]
LEI = "529900EXAMPLELEI0001"
PASSWORD = "quiet lake 9 morning"
ANSWERS = {
    "first_name": "Ann",
    "last_name": "Example",
    "email": "ann@bank.example",
    "password": PASSWORD,
}


@pytest.fixture
def bank() -> Institution:
    return Institution.objects.create(
        activity_year=2024, lei=LEI, name="Example Bank", agency=9, email_domains=["bank.example"]
    )


@pytest.fixture
def browser() -> Client:
    return Client(headers={"host": "localhost"})


def sign_up(browser: Client, **changes: str) -> Any:
    return browser.post("/sign-up/", {**ANSWERS, **changes})


def let_the_pause_pass() -> None:
    """Let the last emails be older than the pause between two to one address."""
    Mail.objects.filter(handed_over_at__isnull=False).update(
        handed_over_at=F("handed_over_at") - requested_emails.PAUSE
    )


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
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form.text))
    address = urlsplit(form.redirect_chain[-1][0]).path
    filled_in = {"username": username, "password": password, "next": html.unescape(hidden["next"])}
    return browser.post(address, filled_in, follow=True)


def told(happening: Happening) -> list[str]:
    return [entry.about for entry in TrailEntry.objects.filter(happening=happening)]


def test_from_the_form_to_a_token_that_the_api_takes(browser: Client) -> None:
    answer = sign_up(browser)
    assert (answer.status_code, answer["Location"]) == (302, "/sign-up/sent/")
    user = User.objects.get(username="ann@bank.example")
    assert not user.is_active
    assert [message.to for message in outbox()] == [["ann@bank.example"]]
    page = browser.get(link())
    assert page.status_code == 200
    assert not User.objects.get().is_active  # whoever looks into the mail has confirmed nothing
    profile = browser.post(link(), {"password": PASSWORD}, follow=True)
    assert profile.redirect_chain[-1][0] == "/filing/profile/"
    assert "Example Bank (529900EXAMPLELEI0001)" in profile.text
    token = session_tokens.of(browser.session)
    assert token is not None
    assert who(token.text).json() == {
        "email": "ann@bank.example",
        "leis": [],
        "id": Identity.objects.get().subject,
    }
    assert Identity.objects.get().email_verified
    assert told(Happening.ACCOUNT_MADE) == ["user ann@bank.example"]
    assert told(Happening.EMAIL_CONFIRMED) == ["ann@bank.example"]
    assert set(user.groups.values_list("name", flat=True)) == {"filer"}


def test_an_account_signs_in_only_once_it_is_confirmed(browser: Client) -> None:
    sign_up(browser)
    assert "do not match" in enter(browser, "ann@bank.example", PASSWORD).text
    browser.post(link(), {"password": PASSWORD})
    page = enter(Client(headers={"host": "localhost"}), "Ann@Bank.example", PASSWORD)
    assert "Your profile" in page.text


REFUSED = [
    ({"email": "ann@gmail.com"}, "Anybody can have an address at gmail.com"),
    ({"email": "ann@unknown.example"}, "ask the help desk to add it"),
    ({"email": "ann@sub.bank.example"}, "ask the help desk to add it"),
    ({"email": "no address"}, "valid email"),
    ({"email": ""}, "required"),
    ({"password": "short"}, "too short"),
    ({"password": "password1234"}, "too common"),
    ({"password": "38192047561"}, "entirely numeric"),
    ({"password": "ann@bank.example"}, "too similar"),
    ({"first_name": " "}, "required"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_does_not_fit_is_told_and_makes_no_account(
    browser: Client, changes: dict[str, str], words: str
) -> None:
    answer = sign_up(browser, **changes)
    assert answer.status_code == 200
    assert words in html.unescape(answer.text)
    assert PASSWORD not in answer.text
    assert not User.objects.exists()
    assert outbox() == []


def test_the_domain_of_an_older_year_no_longer_counts(browser: Client) -> None:
    Institution.objects.create(
        activity_year=2025, lei=LEI, name="Example Bank", agency=9, email_domains=["new.example"]
    )
    assert "ask the help desk" in sign_up(browser).text
    assert sign_up(browser, email="ann@new.example").status_code == 302


def test_who_has_an_account_gets_a_mail_and_nobody_else_learns_of_it(
    browser: Client, settings: Any
) -> None:
    fresh = sign_up(browser)
    browser.post(link(), {"password": PASSWORD})
    let_the_pause_pass()
    other = Client(headers={"host": "localhost"})
    again = sign_up(other, password="another pass phrase 7", first_name="Eve")
    assert (again.status_code, again["Location"]) == (fresh.status_code, fresh["Location"])
    assert "There is one already" in outbox()[-1].body
    user = User.objects.get()
    assert user.first_name == "Ann"
    assert user.check_password(PASSWORD)


def test_an_account_that_staff_made_is_not_taken_over(browser: Client) -> None:
    user = User.objects.create_user("ann", "Ann@Bank.example", "x", is_active=False)
    sign_up(browser)
    assert "There is one already" in outbox()[-1].body
    assert User.objects.get() == user


def test_who_was_locked_out_does_not_sign_up_again(browser: Client) -> None:
    sign_up(browser)
    browser.post(link(), {"password": PASSWORD})
    User.objects.update(is_active=False)
    let_the_pause_pass()
    sign_up(Client(headers={"host": "localhost"}))
    assert "There is one already" in outbox()[-1].body
    assert browser.get(link(0)).status_code == 410
    assert not User.objects.get().is_active


def test_the_link_takes_the_password_of_the_form(browser: Client) -> None:
    sign_up(browser)
    answer = browser.post(link(), {"password": "another pass phrase 7"})
    assert "not the password that was chosen" in answer.text
    assert not User.objects.get().is_active


def test_a_link_is_good_once(browser: Client) -> None:
    sign_up(browser)
    browser.post(link(), {"password": PASSWORD})
    for method in (browser.get, browser.post):
        answer = method(link())
        assert answer.status_code == 410
        assert "no longer good" in answer.text


def test_a_link_is_good_for_a_day(browser: Client, settings: Any) -> None:
    sign_up(browser)
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert browser.get(link()).status_code == 410


def test_a_newer_form_makes_the_older_link_useless(browser: Client) -> None:
    sign_up(browser)
    outbox()
    let_the_pause_pass()
    sign_up(browser, password="another pass phrase 7")
    assert browser.get(link(0)).status_code == 410
    assert browser.get(link(1)).status_code == 200


@pytest.mark.parametrize("path", ["/sign-up/MQ/x-y/", "/sign-up/!/x/", "/sign-up/_w/c0-ffee/"])
def test_an_invented_link_is_no_good(browser: Client, path: str) -> None:
    assert browser.get(path).status_code == 410


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
        assert requested_emails.LEFT_OUT in written.text
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


def test_a_forgotten_password_is_replaced_by_mail(browser: Client) -> None:
    User.objects.create_user("ben", "ben@bank.example", "a long enough pass phrase")
    known = browser.post("/forgotten/", {"email": "ben@bank.example"})
    unknown = browser.post("/forgotten/", {"email": "eve@bank.example"})
    assert known["Location"] == unknown["Location"] == "/forgotten/sent/"
    assert [message.to for message in outbox()] == [["ben@bank.example"]]
    page = browser.get(link(), follow=True)
    address = page.redirect_chain[-1][0]
    asked = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    assert browser.post(address, asked).status_code == 302
    assert told(Happening.PASSWORD_CHANGED) == ["user ben, by mail"]
    assert "Your profile" in enter(browser, "ben", PASSWORD).text
    assert "no longer good" in browser.get(link(), follow=True).text


def test_accounts_that_share_an_address_get_one_email_with_a_link_for_each(
    browser: Client,
) -> None:
    for name, address in (("ben", "Ben@bank.example"), ("desk", "ben@bank.example")):
        User.objects.create_user(name, address, "a long enough pass phrase")
    User.objects.create_user("gone", "ben@bank.example", "x", is_active=False)
    browser.post("/forgotten/", {"email": "ben@bank.example"})
    (sent,) = outbox()
    assert sent.to == ["Ben@bank.example"]
    links = re.findall(r"^Account (\w+):\nhttp://localhost:8000(/\S+)$", sent.body, re.MULTILINE)
    assert [name for name, _ in links] == ["ben", "desk"]
    for name, path in links:
        address = browser.get(path, follow=True).redirect_chain[-1][0]
        asked = {"new_password1": f"{PASSWORD} {name}", "new_password2": f"{PASSWORD} {name}"}
        assert browser.post(address, asked).status_code == 302
        assert User.objects.get(username=name).check_password(f"{PASSWORD} {name}")


def test_for_known_and_unknown_addresses_the_same_is_done(browser: Client) -> None:
    User.objects.create_user("ben", "ben@bank.example", PASSWORD)
    User.objects.create_user("cid", "cid@bank.example", PASSWORD, is_active=False)
    done = []
    for name in ("ben", "eve", "cid", "ben", "eve"):  # the first two once more, in their pause
        with CaptureQueriesContext(connection) as statements:
            answer = browser.post("/forgotten/", {"email": f"{name}@bank.example"})
        written = [re.sub(r"'[^']*'|\d+", "?", each["sql"]) for each in statements]
        headers = {name: value for name, value in answer.items() if name != "X-Request-ID"}
        done.append((answer.status_code, headers, written))
        outbox()
    assert done[0][2]
    assert [each for each in done if each != done[0]] == []


def test_addresses_that_nobody_has_fill_no_table(browser: Client) -> None:
    for number in range(5):
        browser.post("/forgotten/", {"email": f"eve{number}@bank.example"})
    assert Mail.objects.count() == 5
    assert outbox() == []
    assert not Mail.objects.exists()
    assert not Job.objects.exists()


def test_a_fresh_token_takes_no_password_while_the_provider_knows_the_browser(
    browser: Client,
) -> None:
    User.objects.create_user("ben", "ben@bank.example", PASSWORD)
    enter(browser, "ben", PASSWORD)
    first = session_tokens.of(browser.session)
    browser.get("/sign-in/?next=/filing/profile/", follow=True)
    second = session_tokens.of(browser.session)
    assert first
    assert second
    assert first.text != second.text


def test_signing_out_ends_the_session_of_the_provider_too(browser: Client) -> None:
    User.objects.create_user("ben", "ben@bank.example", PASSWORD)
    enter(browser, "ben", PASSWORD)
    page = browser.post("/sign-out/", follow=True)
    assert page.redirect_chain[-1][0] == "http://localhost/"
    form = browser.get("/filing/profile/", follow=True)
    assert form.redirect_chain[-1][0].startswith(f"{REALM}/login?")


def in_use(browser: Client) -> User:
    """Return the user of an account that was signed up for and confirmed, signed out again."""
    sign_up(browser)
    browser.post(link(), {"password": PASSWORD})
    browser.logout()
    let_the_pause_pass()
    return User.objects.get(username=ANSWERS["email"])


def disable(user: User) -> None:
    """Let the account have been unused for long enough, with a warning in time."""
    User.objects.update(last_login=timezone.now() - timedelta(days=400))
    User.objects.update(date_joined=timezone.now() - timedelta(days=400))
    long_ago = timezone.now() - timedelta(days=400)
    Identity.objects.update(added_at=long_ago, signed_in_at=long_ago, used_at=None)
    accounts.check_unused(now=timezone.now() - timedelta(days=20))
    assert accounts.check_unused().disabled == 1


def test_a_disabled_account_says_so_to_whoever_has_its_password_and_to_nobody_else(
    browser: Client, settings: Any
) -> None:
    settings.CONTACT_EMAIL = "help@service.example"
    user = in_use(browser)
    disable(user)
    page = enter(browser, user.username, PASSWORD)
    assert "This account is disabled." in page.text
    assert "contact the help desk: help@service.example." in page.text
    for name, password in ((user.username, "wrong"), ("nobody@bank.example", PASSWORD)):
        page = enter(browser, name, password)
        assert "do not match an active account" in page.text
        assert "disabled" not in page.text
    assert "_auth_user_id" not in browser.session
    refused = TrailEntry.objects.filter(happening=Happening.SIGN_IN_REFUSED)
    assert "the account is disabled" in refused.values_list("reason", flat=True)


def test_signing_up_again_does_not_open_a_disabled_account(browser: Client) -> None:
    user = in_use(browser)
    disable(user)
    Identity.objects.update(email_verified=False, signed_in_at=None)  # even so
    User.objects.update(last_login=None)
    sent = len(outbox())
    sign_up(browser, password="another long 9 password")
    assert "There is one already" in outbox()[sent].body
    browser.post("/forgotten/", {"email": user.email})
    assert len(outbox()) == sent + 1
    user.refresh_from_db()
    assert not user.is_active
    assert user.check_password(PASSWORD)


def test_a_link_that_was_mailed_verifies_the_address(browser: Client) -> None:
    user = in_use(browser)
    people.note_new_address(user, by=access.SERVICE)
    assert not Identity.objects.get().email_verified
    browser.post("/forgotten/", {"email": user.email})
    form = browser.get(link(), follow=True)
    typed = {"new_password1": "another long 9 password", "new_password2": "another long 9 password"}
    assert browser.post(form.redirect_chain[-1][0], typed).status_code == 302
    assert Identity.objects.get().email_verified
    assert told(Happening.EMAIL_CONFIRMED) == [user.email] * 2

"""The pages of an institution's people: who sees the list, and what administrators change."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing import access, day_hours, submissions
from filing.access import Caller, Right
from filing.models import (
    AccessRequest,
    AuditEvent,
    DeadlineExtension,
    Delegation,
    EndedRight,
    FilingPeriod,
    Identity,
    Institution,
    InstitutionEvent,
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    PeopleList,
    PersonalToken,
    Submission,
    TrailEntry,
)
from filing.people import invitations, look_reminders, memberships, personal_tokens, rosters
from filing.people.invitations import Roles
from filing.statuses import Status
from tests import make
from tests.at_once import call_at_once
from tests.conftest import LEI
from tests.filing.mail_server import outbox
from tests.filing.pages.steps import OTHER_LEI, member, signed_in, text
from tests.filing.people.test_invitations import add_user, emailed_link

pytestmark = pytest.mark.django_db
PAGE = f"/filing/{LEI}/people/"
WHY = {"reason": "She moved to another department."}


@pytest.fixture
def ada(institution: Institution, open_period: FilingPeriod) -> User:
    """An administrator, preparer and signer of the institution."""
    return make.member(add_user("ada"), administrator=True).user


@pytest.fixture
def ben(ada: User) -> User:
    """A preparer and signer."""
    return make.member(add_user("ben"), source="domain", email="ben@bank.example").user


@pytest.fixture
def browser(ada: User) -> Client:
    return signed_in(ada)


def of(user: User) -> Membership:
    return Membership.objects.get(user=user, lei=LEI)


def rights(user: User) -> frozenset[Right]:
    return access.find_rights(access.caller_of(user), LEI) - {Right.BELONG}


def receivers(subject: str) -> set[str]:
    """Return who got an email with a word in its subject."""
    return {mail.to[0] for mail in outbox() if subject in mail.subject}


# --- the list


def test_everyone_of_the_institution_sees_who_acts_for_it(ada: User, ben: User) -> None:
    vendor = Organization.objects.create(name="Vendor Inc", code="ORG-TEST01", made_by="eve")
    eve = add_user("eve", domain="vendor.example")
    OrganizationMember.objects.create(organization=vendor, user=eve)
    Delegation.objects.create(organization=vendor, lei=LEI, agreed_by="ada", periods=["2024"])
    invitations.invite_person(
        "new@bank.example", Roles(is_signer=True), by=access.caller_of(ada), lei=LEI
    )
    page = text(signed_in(ben).get(PAGE))
    for words in (
        "Ada, ada@bank.example",
        "administrator, preparer, signer",
        "Ben, ben@bank.example",
        "Vendor Inc",
        "eve@vendor.example",
        "new@bank.example",
    ):
        assert words in page
    assert "Invite a person" not in page
    assert "Manage people" in text(signed_in(ada).get(f"/filing/{LEI}/"))
    assert "View people" in text(signed_in(ben).get(f"/filing/{LEI}/"))


def test_only_people_of_the_institution_see_the_list(ada: User, helper: User) -> None:
    assert signed_in(member("cy", OTHER_LEI)).get(PAGE).status_code == 403
    page = text(signed_in(helper).get(PAGE))
    assert "ada@bank.example" in page
    assert "Invite a person" not in page


def test_only_administrators_change_it(ada: User, ben: User, helper: User) -> None:
    form = {**WHY, "email": "x@bank.example", "joining": "domain"}
    others = [signed_in(user) for user in (ben, helper)]
    for page in ("invite/", "confirm/", "joining/", f"{of(ben).pk}/", f"{of(ben).pk}/end/"):
        assert signed_in(ada).get(PAGE + page).status_code == 200
        for browser in others:
            assert browser.get(PAGE + page).status_code == 403
            assert browser.post(PAGE + page, form).status_code == 403
    assert not TrailEntry.objects.exclude(event__contains="viewed").exists()


# --- change, end, leave


def test_an_invitation_is_sent_and_withdrawn(browser: Client) -> None:
    form = {"email": "New@bank.example", "roles": ["preparer", "signer"], "until": ""}
    assert browser.post(f"{PAGE}invite/", form)["Location"] == PAGE
    invitation = Invitation.objects.get()
    assert (invitation.email, invitation.is_preparer, invitation.is_signer) == (
        "new@bank.example",
        True,
        True,
    )
    assert emailed_link("new@bank.example")
    page = f"{PAGE}invitations/{invitation.pk}/"
    assert "new@bank.example" in text(browser.get(page))
    assert browser.post(page, {}).status_code == 400
    assert browser.post(page, WHY)["Location"] == PAGE
    invitation.refresh_from_db()
    assert (invitation.answer, invitation.reason) == ("withdrawn", WHY["reason"])
    assert browser.get(page).status_code == 404


def test_a_wrong_invitation_is_shown_again(browser: Client, ben: User) -> None:
    form = {"email": "ben@bank.example", "roles": ["preparer"]}
    assert "on the list already" in text(browser.post(f"{PAGE}invite/", form), 400)


@pytest.mark.servers
def test_roles_are_changed_for_a_reason(browser: Client, ben: User) -> None:
    page = f"{PAGE}{of(ben).pk}/"
    until = day_hours.today() + timedelta(days=9)
    form = {"roles": ["preparer"], "until": f"{until}"}
    assert "Enter a reason" in text(browser.post(page, form), 400)
    assert browser.post(page, {**form, **WHY})["Location"] == PAGE
    after = of(ben)
    assert (after.is_preparer, after.is_signer, after.until) == (True, False, until)
    assert rights(ben) == {Right.READ, Right.PREPARE}
    entry = TrailEntry.objects.get(event=AuditEvent.MEMBERSHIP_CHANGED)
    assert (entry.lei, entry.reason, entry.actor_username) == (LEI, WHY["reason"], "ada")
    assert receivers("Roles") == {"ada@bank.example", "ben@bank.example"}
    assert "Nothing was changed" in text(browser.post(page, {**form, **WHY}), 400)


def test_a_form_of_before_a_change_gives_no_role_back(browser: Client, ben: User) -> None:
    page = f"{PAGE}{of(ben).pk}/"
    opened = {bound.html_name: bound.value() or "" for bound in browser.get(page).context["form"]}
    assert opened["roles"] == ["preparer", "signer"]
    Membership.objects.filter(user=ben).update(is_signer=False)  # by another administrator
    until = day_hours.today() + timedelta(days=9)
    refused = browser.post(page, {**opened, "until": f"{until}", **WHY})
    assert "It is now: preparer." in text(refused, 409)
    assert (of(ben).is_signer, of(ben).until) == (False, None)


def test_an_administrator_has_no_last_day(browser: Client, ben: User) -> None:
    form = {"roles": ["administrator"], "until": f"{day_hours.today()}", **WHY}
    assert "no last day" in text(browser.post(f"{PAGE}{of(ben).pk}/", form), 400)


def test_no_one_gives_themselves_a_role(ada: User, browser: Client) -> None:
    Membership.objects.filter(user=ada).update(is_signer=False)
    form = {"roles": ["administrator", "preparer", "signer"], **WHY}
    assert "cannot give yourself" in text(browser.post(f"{PAGE}{of(ada).pk}/", form), 403)
    assert not of(ada).is_signer
    assert TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED).exists()


def test_whoever_is_ended_stays_ended_until_invited_again(
    browser: Client, ada: User, ben: User
) -> None:
    personal_tokens.create_token(ben, name="x", leis=[LEI], days=9, by=access.caller_of(ben))
    of_ben = signed_in(ben)
    page = f"{PAGE}{of(ben).pk}/end/"
    assert "Enter a reason" in text(browser.post(page, {"reason": " "}), 400)
    assert browser.post(page, WHY)["Location"] == PAGE
    assert not rights(ben)
    assert of_ben.get(PAGE).status_code == 302  # signed out
    assert PersonalToken.objects.get().revoked_at
    right = EndedRight.objects.get()
    assert (right.by_staff, right.reason) == (False, WHY["reason"])
    assert receivers("no longer acts") == {"ada@bank.example"}
    assert receivers("You can no longer file") == {"ben@bank.example"}
    # The domain does not give it back.
    ben.refresh_from_db()
    choose = signed_in(ben).get("/filing/institutions/").text
    assert "ended by an administrator of the institution" in choose
    assert f'value="{LEI}"' not in choose
    # A new invitation does.
    browser.post(f"{PAGE}invite/", {"email": ben.email, "roles": ["signer"]})
    link = emailed_link(ben.email)
    assert signed_in(ben).post(link, {"answer": "accept"}).status_code == 303
    assert rights(ben) == {Right.READ, Right.SIGN}


def test_an_invitation_from_before_the_end_does_not_count(ada: User, ben: User) -> None:
    Membership.objects.filter(user=ben).delete()
    invitations.invite_person(ben.email, Roles(is_signer=True), by=access.caller_of(ada), lei=LEI)
    make.member(ben, LEI)
    rosters.end_person(of(ben), by=access.caller_of(ada), reason="x")
    assert Invitation.objects.get().answer == "withdrawn"


def test_the_last_administrator_stays(browser: Client, ada: User, ben: User) -> None:
    for page, form in (
        ("leave/", {}),
        (f"{of(ada).pk}/", {"roles": ["preparer", "signer"], **WHY}),
        (f"{of(ada).pk}/end/", WHY),
        ("confirm/", {"left": [of(ada).pk]}),
    ):
        answer = browser.post(PAGE + page, form)
        assert "only administrator" in text(answer, 400), page
    assert of(ada).administrator_since
    # With another one they may go.
    browser.post(f"{PAGE}{of(ben).pk}/", {"roles": ["administrator"], **WHY})
    assert browser.post(f"{PAGE}leave/")["Location"] == "/filing/"
    assert not Membership.objects.filter(user=ada).exists()
    assert receivers("left") == {"ben@bank.example"}
    assert not EndedRight.objects.exists()


def test_the_last_administrator_by_domain_does_not_drop_the_institution(ada: User) -> None:
    Membership.objects.filter(user=ada).update(source="domain", email=ada.email)
    answer = signed_in(ada).post("/filing/profile/institutions/", {})
    assert "only administrator" in text(answer, 400)
    assert of(ada).administrator_since


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("acts", ["leave", "end"])
def test_of_two_administrators_at_the_same_moment_one_stays(
    institution: Institution, acts: str
) -> None:
    users = [make.member(add_user(name), administrator=True).user for name in ("ada", "ben")]
    waiting = list(users)

    def act() -> str:
        user = waiting.pop()
        by = access.caller_of(user)
        own, other = of(user), of(next(each for each in users if each != user))
        try:
            if acts == "leave":
                rosters.leave_institution(own, by=by)
            else:
                rosters.end_person(other, by=by, reason="x")
        except Exception as refusal:
            return type(refusal).__name__
        return "done"

    assert sorted(call_at_once(act, 2)) == ["NotReady", "done"]
    assert Membership.objects.filter(lei=LEI, administrator_since__isnull=False).count() == 1


# --- requests of people with the domain


def ask(user: User) -> Any:
    return signed_in(user).post("/filing/profile/institutions/", {"leis": [LEI]}, follow=True)


def test_people_with_the_domain_wait_for_an_administrator(browser: Client, ada: User) -> None:
    cy = add_user("cy")
    page = text(ask(cy))
    assert "You asked to act for" in page
    assert not Membership.objects.filter(user=cy).exists()
    request = AccessRequest.objects.get()
    assert receivers("asks to act") == {"ada@bank.example"}
    ask(cy)  # again
    assert AccessRequest.objects.count() == 1
    assert "Cy, cy@bank.example" in text(browser.get(PAGE))
    answer_page = f"{PAGE}requests/{request.pk}/"
    assert "cy@bank.example" in text(browser.get(answer_page))
    form = {"answer": "grant", "roles": ["signer"]}
    assert browser.post(answer_page, form)["Location"] == PAGE
    assert rights(cy) == {Right.READ, Right.SIGN}
    assert (of(cy).source, of(cy).added_by) == ("invite", "ada")
    assert receivers("granted") == {"cy@bank.example"}
    assert "answered already" in text(browser.post(answer_page, form), 400)


def test_a_request_is_refused_with_a_reason(browser: Client) -> None:
    cy = add_user("cy")
    ask(cy)
    page = f"{PAGE}requests/{AccessRequest.objects.get().pk}/"
    assert "reason" in text(browser.post(page, {"answer": "refuse"}), 400)
    assert browser.post(page, {"answer": "refuse", **WHY})["Location"] == PAGE
    request = AccessRequest.objects.get()
    assert (request.state, request.reason, request.answered_by) == (
        "refused",
        WHY["reason"],
        "ada",
    )
    (mail,) = (mail for mail in outbox() if mail.to == ["cy@bank.example"])
    assert WHY["reason"] in mail.body
    assert not Membership.objects.filter(user=cy).exists()


def test_whoever_does_not_choose_it_any_more_withdraws_the_request(ada: User) -> None:
    cy = add_user("cy")
    ask(cy)
    signed_in(cy).post("/filing/profile/institutions/", {})
    assert AccessRequest.objects.get().state == "withdrawn"


def test_people_join_by_domain_where_the_administrator_says_so(browser: Client) -> None:
    assert browser.post(f"{PAGE}joining/", {"joining": "domain"})["Location"] == PAGE
    assert PeopleList.objects.get().joins_by_domain
    assert TrailEntry.objects.filter(event=AuditEvent.JOINING_CHANGED).count() == 1
    cy = add_user("cy")
    ask(cy)
    assert of(cy).source == "domain"
    assert not AccessRequest.objects.exists()


# --- the first administrator


@pytest.fixture
def dan(institution: Institution, submission: Submission) -> User:
    """A person with the domain, of an institution that has signed and has no administrator."""
    return make.member(add_user("dan"), source="domain", email="dan@bank.example").user


def sign_sheet(contact: str, by: Caller) -> None:
    """Let someone sign a transmittal sheet that names a contact."""
    Submission.objects.update(
        status=Status.VERIFIED,
        file_name="lar.txt",
        lines=61,
        sha256="ab" * 32,
        transmittal_sheet={"contact_email": contact},
    )
    submission = Submission.objects.select_related("filing__institution", "filing__period").get()
    submissions.sign_submission(submission, signed=True, by=by)


@pytest.fixture
def contact(submission: Submission, filer: Caller) -> str:
    sign_sheet("contact@bank.example", filer)
    return "contact@bank.example"


def contact_link(to: str) -> str:
    mail = [each for each in outbox() if each.to == [to] and "/administrator/" in each.body][-1]
    found = re.search(r"/filing/administrator/[\w-]+/", str(mail.body))
    assert found
    return found[0]


@pytest.mark.servers
def test_the_contact_agrees_by_email_to_the_first_administrator(dan: User, contact: str) -> None:
    make.member(add_user("eli"))
    browser = signed_in(dan)
    assert "Ask to be the first administrator" in text(browser.get(PAGE))
    assert contact in text(browser.get(f"{PAGE}administer/"))
    assert browser.post(f"{PAGE}administer/")["Location"] == PAGE
    assert "has asked already" in text(browser.post(f"{PAGE}administer/"), 400)
    link = contact_link(contact)
    visitor = Client()
    assert "dan@bank.example" in text(visitor.get(link))
    assert "You agreed" in text(visitor.post(link, {"answer": "accept"}))
    assert of(dan).administrator_since
    assert receivers("is administrator") == {"dan@bank.example", "eli@bank.example"}
    assert "agreed already" in text(visitor.get(link), 410)
    assert "agreed already" in text(visitor.post(link, {"answer": "accept"}), 410)
    assert Right.MANAGE in rights(dan)


def test_the_contact_refuses(dan: User, contact: str) -> None:
    signed_in(dan).post(f"{PAGE}administer/")
    link = contact_link(contact)
    assert "You refused" in text(Client().post(link, {"answer": "decline"}))
    assert of(dan).administrator_since is None
    assert receivers("refused") == {"dan@bank.example"}
    assert "refused already" in text(Client().get(link), 410)


def test_a_link_to_the_contact_expires(dan: User, contact: str) -> None:
    signed_in(dan).post(f"{PAGE}administer/")
    link = contact_link(contact)
    AccessRequest.objects.update(expires_at=timezone.now())
    assert "has expired" in text(Client().post(link, {"answer": "accept"}), 410)
    assert signed_in(dan).post(f"{PAGE}administer/").status_code == 303  # asks again
    assert contact_link(contact) != link


def test_who_cannot_ask_is_told_why(dan: User, settings: Any) -> None:
    browser = signed_in(dan)
    assert "no contact on file" in text(browser.post(f"{PAGE}administer/"), 400)
    settings.FIRST_ADMINISTRATOR_BY_CONTACT = False
    assert "Ask the help desk" in text(browser.post(f"{PAGE}administer/"), 400)
    settings.FIRST_ADMINISTRATOR_BY_CONTACT = True
    fay = make.member(add_user("fay", domain="else.example")).user
    assert "email domain" in text(signed_in(fay).post(f"{PAGE}administer/"), 400)


def name_contact(address: str) -> None:
    """Let the sheet that was signed last name a contact."""
    Submission.objects.update(transmittal_sheet={"contact_email": address})


@pytest.mark.parametrize(
    ("address", "signer", "is_own"),
    [
        ("DAN@bank.example", "ann", True),
        ("dan+hmda@bank.example", "ann", True),
        ("ann@bank.example", "ann", True),
        ("dan@home.example", "dan", True),
        ("sue@bank.example", "dan", False),
        ("sue@home.example", "ann", False),
    ],
)
def test_the_contact_is_another_person_than_who_asks_and_who_signed(
    dan: User, filer: Caller, address: str, signer: str, is_own: bool
) -> None:
    sign_sheet(address, access.caller_of(dan) if signer == "dan" else filer)
    answer = signed_in(dan).post(f"{PAGE}administer/")
    assert answer.status_code == (400 if is_own else 303)
    assert AccessRequest.objects.exists() is not is_own
    assert ("another person" in text(signed_in(dan).get(f"{PAGE}administer/"))) is is_own


MEANWHILE: dict[str, Callable[[User], object]] = {
    "disabled": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "unverified": lambda user: Identity.objects.filter(user=user).update(email_verified=False),
    "domain gone": lambda user: Institution.objects.update(email_domains=[]),
    "last day passed": lambda user: Membership.objects.filter(user=user).update(
        until=day_hours.today() - timedelta(days=1)
    ),
    "ended": lambda user: memberships.end_right(
        of(user), by=access.caller_of(add_user("olga")), reason="x"
    ),
    "another contact": lambda user: name_contact("new@bank.example"),
    "own contact": lambda user: name_contact("dan@bank.example"),
    "an administrator": lambda user: make.member(add_user("eli"), administrator=True),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_what_the_contact_agrees_to_is_asked_again(dan: User, contact: str, what: str) -> None:
    signed_in(dan).post(f"{PAGE}administer/")
    link = contact_link(contact)
    MEANWHILE[what](dan)
    assert Client().get(link).status_code == 410
    assert Client().post(link, {"answer": "accept"}).status_code == 410
    assert not Membership.objects.filter(user=dan, administrator_since__isnull=False).exists()


def test_whoever_asked_a_former_contact_asks_the_present_one(dan: User, contact: str) -> None:
    signed_in(dan).post(f"{PAGE}administer/")
    name_contact("new@bank.example")
    assert signed_in(dan).post(f"{PAGE}administer/").status_code == 303
    assert Client().post(contact_link("new@bank.example"), {"answer": "accept"}).status_code == 200
    assert of(dan).administrator_since


# --- the yearly look


def open_season(days: int) -> FilingPeriod:
    """Let the newest season open in some days; negative: it did so days ago."""
    opens = day_hours.today() + timedelta(days=days)
    FilingPeriod.objects.filter(quarter="").update(
        opens=opens, timely_until=opens + timedelta(days=60), closes=opens + timedelta(days=90)
    )
    return FilingPeriod.objects.get(quarter="")


@pytest.fixture
def known(ada: User, ben: User) -> None:
    """Both have acted for the institution for years."""
    long_ago = timezone.now() - timedelta(days=900)
    Membership.objects.update(added_at=long_ago)
    Membership.objects.filter(user=ada).update(administrator_since=long_ago)


@pytest.mark.usefixtures("known")
def test_a_list_that_is_not_confirmed_when_the_season_opens_lets_people_read(
    browser: Client, ada: User, ben: User
) -> None:
    open_season(100)
    assert "not confirmed" not in text(browser.get(PAGE))
    open_season(20)
    for user in (ada, ben):
        for page in (PAGE, f"/filing/{LEI}/"):
            assert "not confirmed for the filing season" in text(signed_in(user).get(page))
    assert Right.SIGN in rights(ben)
    open_season(-5)
    assert rights(ben) == {Right.READ}
    cy = member("cy", LEI)
    gone = of(cy).pk
    Membership.objects.filter(pk=gone).update(added_at=timezone.now() - timedelta(days=900))
    assert "cy@bank.example" in text(browser.get(f"{PAGE}confirm/"))
    assert browser.post(f"{PAGE}confirm/", {"left": ["x"]}).status_code == 400
    assert browser.post(f"{PAGE}confirm/", {"left": [gone]})["Location"] == PAGE
    assert Right.SIGN in rights(ben)
    assert not rights(cy)
    settings = PeopleList.objects.get()
    assert (settings.confirmed_by, settings.confirmed_at is not None) == ("ada", True)
    page = text(browser.get(PAGE))
    assert "not confirmed for" not in page
    assert "List confirmed on" in page
    assert TrailEntry.objects.filter(event=AuditEvent.PEOPLE_CONFIRMED).count() == 1


def test_an_institution_without_an_administrator_confirms_nothing(dan: User) -> None:
    open_season(-5)
    Membership.objects.update(added_at=timezone.now() - timedelta(days=900))
    assert "not confirmed" not in text(signed_in(dan).get(PAGE))
    assert Right.SIGN in rights(dan)


@pytest.mark.usefixtures("known")
def test_administrators_are_reminded_three_times_and_never_twice(
    browser: Client, ada: User, ben: User
) -> None:
    season = open_season(31)
    day = day_hours.today()
    days = {
        day: 0,
        season.opens - timedelta(days=30): 1,
        season.opens - timedelta(days=29): 0,
        season.opens: 1,
        season.opens + timedelta(days=1): 0,
        season.timely_until - timedelta(days=14): 1,
        season.timely_until: 0,
        season.timely_until + timedelta(days=1): 0,
    }
    for when, number in days.items():
        assert look_reminders.remind_administrators(when) == number, when
        assert look_reminders.remind_administrators(when) == 0
    assert receivers("Confirm who may file") == {"ada@bank.example"}
    assert f"{PAGE}confirm/" in outbox()[0].body


@pytest.mark.usefixtures("known")
def test_an_extension_moves_the_last_reminder_and_its_deadline(browser: Client) -> None:
    season = open_season(29)
    own = season.timely_until + timedelta(days=30)
    event = InstitutionEvent.objects.create(
        lei=LEI, kind="extension", effective_on=season.opens, reason="A storm."
    )
    DeadlineExtension.objects.create(
        event=event, lei=LEI, year=season.year, timely_until=own, closes=own, why="A storm"
    )
    days = {
        season.opens: 1,
        season.timely_until - timedelta(days=14): 0,
        own - timedelta(days=15): 0,
        own - timedelta(days=14): 1,
        own + timedelta(days=1): 0,
    }
    for when, number in days.items():
        assert look_reminders.remind_administrators(when) == number, when
    assert f"The filing deadline is {day_hours.day_in_words(own)}" in outbox()[-1].body

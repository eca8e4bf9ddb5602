"""From invitations to a receipt: a preparer, a signer, a vendor, and one who is ended meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PASSWORD, Look, bank_of, email_of, emailed_path, lei_of
from tests.browser.filers import YEAR, start
from tests.flow.conftest import ALWAYS, Service

LEI, BANK = lei_of("people filing"), bank_of("people filing")
FILING, PEOPLE = f"/filing/{LEI}/{YEAR}/", f"/filing/{LEI}/people/"
PEGGY, SOL = (email_of("people filing", name) for name in ("peggy", "sol"))
OWN_PASSWORD = "quiet lake 9 morning"
_FIRST = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.utils import timezone
from config.identity.tokens import known_identity
from filing.models import Membership
people = {{}}
for name, email in (("amy", {amy!r}), ("vera", "vera@plains.example")):
    user = User.objects.create_user(name, email, first_name=name.title())
    user.password = make_password({password!r}); user.save()
    identity = known_identity(user); identity.email_verified = True; identity.save()
    people[name] = user
Membership.objects.create(
    user=people["amy"], lei={lei!r}, administrator_since=timezone.now(),
    is_preparer=False, is_signer=False,
)
"""

_ARRIVED = """
from filing.models import ResumableUpload
upload = ResumableUpload.objects.get(file_name="large.txt")
print(upload.offset == upload.length)
"""


@pytest.fixture(scope="module")
def first(site: Service) -> None:
    """An administrator of the institution, who does not file; and a person at a vendor."""
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    amy = email_of("people filing", "amy")
    code = _FIRST.format(password=PASSWORD, lei=LEI, amy=amy)
    site.manage("shell", "-v", "0", "-c", code)


def invite(look: Look, email: str, *roles: str) -> None:
    page = look.at(f"{PEOPLE}invite/")
    page.get_by_label("Email address").fill(email)
    for role in ("Preparer", "Signer", "Administrator"):
        name = re.compile(f"^{role}:")
        if page.get_by_role("checkbox", name=name).is_checked() != (role in roles):
            page.get_by_text(name).click()
    page.get_by_role("button", name="Send invitation").click()
    page.wait_for_url(f"**{PEOPLE}")


def accept(site: Service, look: Look, email: str, name: str) -> Page:
    """Follow the link of an invitation, with an account that is made on the way."""
    link = emailed_path(site, email, r"/filing/invitation/[\w-]+/")
    page = look.at(link)
    page.locator("main").get_by_role("link", name="Create an account").click()
    for field, value in {"first_name": name, "last_name": "Example"}.items():
        page.fill(f"#id_{field}", value)
    page.fill("#id_password", OWN_PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/sign-up/sent/")
    look.at(emailed_path(site, email, r"/sign-up/\S+/\S+"))
    page.fill("#id_password", OWN_PASSWORD)
    page.get_by_role("button", name="Confirm and sign in").click()
    page.wait_for_url(f"**{link}")
    page.get_by_role("button", name="Accept invitation").click()
    expect(page.locator("main")).to_contain_text("You accepted the invitation")
    return page


def upload(look: Look, path: Path) -> Page:
    page = look.at(FILING)
    start(page)
    page.locator("#file").set_input_files(path)
    expect(page.locator("#file-news")).to_have_text("The transmittal sheet fits this filing.")
    page.get_by_role("button", name="Upload", exact=True).click()
    return page


def test_two_people_and_a_vendor_from_invitation_to_receipt(
    site: Service, look: Look, open_page: Callable[[str], Look], first: None, tmp_path: Path
) -> None:
    clean, longer = tmp_path / "lar.txt", tmp_path / "vendor.txt"
    for path, rows in ((clean, "60"), (longer, "30")):
        words = ("--year", YEAR, "--lei", LEI, "--rows", rows)
        site.manage("make_lar", str(path), *words)

    # The administrator invites, and cannot file.
    page = look.sign_in("amy", PEOPLE)
    invite(look, PEGGY, "Preparer")
    invite(look, SOL, "Signer")
    page = look.at(FILING)
    expect(page.locator("main")).to_contain_text("You can only read here.")
    expect(page.get_by_role("link", name=re.compile("^Upload a"))).to_have_count(0)

    # A vendor registers; the administrator lets it prepare.
    vera = open_page(site.url)
    page = vera.sign_in("vera", "/filing/organizations/", anew=True)
    page.get_by_label("Name of the organization").fill("Plains Data")
    page.get_by_role("button", name=re.compile("Register")).click()
    page.wait_for_url(re.compile("/organizations/ORG-"))
    code = page.url.rstrip("/").rpartition("/")[2]
    page = look.at(f"/filing/{LEI}/delegations/?code={code}")
    expect(page.locator("main")).to_contain_text("plains.example")
    page.get_by_text("Prepare only", exact=True).click()
    page.get_by_role("button", name=re.compile("^Let ")).click()
    expect(page.locator("main")).to_contain_text("Plains Data may now act")

    # The preparer uploads and cannot sign.
    peggy, sol = open_page(site.url), open_page(site.url)
    accept(site, peggy, PEGGY, "Peggy")
    page = upload(peggy, clean)
    expect(page).to_have_title(re.compile("^(Submission|Ready|Edits)"))
    page = peggy.at(f"{FILING}1/")
    expect(page.locator("main")).to_contain_text("cannot sign")
    expect(page.get_by_role("link", name="Certify and sign")).to_have_count(0)
    page = peggy.at(f"{FILING}1/sign/")
    expect(page.get_by_role("button", name="Sign", exact=True)).to_have_count(0)

    # The vendor sees it on its list, sends a file of its own, and cannot sign either.
    page = vera.at("/filing/")
    expect(page.locator("main")).to_contain_text(BANK)
    page = upload(vera, longer)
    expect(page).to_have_title(re.compile("^(Submission|Ready|Edits)"))
    page = vera.at(f"{FILING}2/sign/")
    expect(page.get_by_role("button", name="Sign", exact=True)).to_have_count(0)

    # The signer signs what the preparer sent, and cannot upload.
    accept(site, sol, SOL, "Sol")
    page = sol.at(FILING)
    expect(page.get_by_role("link", name=re.compile("^Upload a"))).to_have_count(0)
    page = sol.at(f"{FILING}2/sign/")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**/receipt/")
    expect(page.locator("main")).to_contain_text(re.compile(rf"{LEI}-{YEAR}-2-\d{{13}}"))


def test_who_is_ended_in_the_middle_of_an_upload_sends_nothing_more(
    site: Service, look: Look, open_page: Callable[[str], Look], first: None, tmp_path: Path
) -> None:
    email = email_of("people filing", "ned")
    look.sign_in("amy", PEOPLE)
    invite(look, email, "Preparer")
    ned = open_page(site.url)
    accept(site, ned, email, "Ned")
    path = tmp_path / "large.txt"
    site.manage("make_lar", str(path), "--year", YEAR, "--lei", LEI, "--rows", "300")
    page = ned.at(FILING)
    start(page)
    page.locator("#file").set_input_files(path)
    expect(page.locator("#file-news")).to_have_text("The transmittal sheet fits this filing.")
    held: list[Route] = []  # what the browser sends of the file, once the upload has begun
    page.route(
        re.compile(r"/uploads/[0-9a-f]{32}/?$"),
        lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_(),
    )
    with page.expect_request(lambda each: each.method == "PATCH"):
        page.get_by_role("button", name="Upload", exact=True).click()

    administrator = look.at(PEOPLE)
    row = administrator.get_by_role("row").filter(has_text=email)
    row.get_by_role("link", name="End access").click()
    administrator.get_by_label("Reason").fill("Ned left the bank.")
    administrator.get_by_role("button", name=re.compile("^End")).click()
    expect(administrator.locator("main")).not_to_contain_text("Ned Example")

    for route in held:
        route.continue_()
    problem = page.locator("#problem")
    expect(problem).to_contain_text("You are signed out")
    ned.complaints.clear()  # of the refused part
    problem.get_by_role("link", name="Sign in").click()
    page.fill("[name=username]", email)
    page.fill("[name=password]", OWN_PASSWORD)
    page.click("main [type=submit]")
    expect(page.locator("main")).to_contain_text("You do not act for this institution")
    ned.complaints.clear()
    assert site.manage("shell", "-v", "0", "-c", _ARRIVED).strip() == "False"

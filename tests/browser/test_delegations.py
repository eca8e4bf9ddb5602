"""An institution lets a vendor act, the vendor uploads many files at once, and is ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Look
from tests.browser.filers import YEAR
from tests.flow.conftest import ALWAYS, Service

LEIS = [f"FLOWTESTVENDOR{number:06d}" for number in range(3)]
CODE = "ORG-BBBBBB"
PEOPLE = """
from datetime import timedelta
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.utils import timezone
from filing.models import (
    Delegation, Institution, Membership, Organization, OrganizationMember
)
dora = User.objects.create(username="dora", email="dora@lender.example")
vic = User.objects.create(username="vic", email="vic@plains.example", first_name="Vic")
User.objects.filter(pk__in=[dora.pk, vic.pk]).update(password=make_password({password!r}))
now = timezone.now()
vendor = Organization.objects.create(
    name="Plains Data", code={code!r}, email_domain="plains.example", made_by="vic"
)
OrganizationMember.objects.create(organization=vendor, user=vic, administrator_since=now)
for number, lei in enumerate({leis!r}):
    Institution.objects.create(
        lei=lei, activity_year={year}, name=f"Lender {{number}}", agency=9, tax_id="12-3456789"
    )
    Membership.objects.create(user=dora, lei=lei, administrator_since=now, is_signer=False)
    if number:
        Delegation.objects.create(organization=vendor, lei=lei, agreed_by="dora")
"""


@pytest.fixture(scope="module")
def vendor(site: Service) -> str:
    """The code of an organization that two of three institutions let act."""
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    code = PEOPLE.format(password=PASSWORD, code=CODE, leis=LEIS, year=YEAR)
    site.manage("shell", "-v", "0", "-c", code)
    return CODE


@pytest.fixture(scope="module")
def files(site: Service, vendor: str, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file of each institution, and one of an institution of someone else."""
    folder = tmp_path_factory.mktemp("many")
    paths = []
    for number, lei in enumerate([*LEIS, "FLOWTEST000000000001"]):
        path = folder / f"client-{number}.txt"
        site.manage("make_lar", str(path), "--year", YEAR, "--lei", lei, "--rows", "20")
        paths.append(path)
    return paths


def let_act_by_keyboard(look: Look, lei: str) -> Page:
    """Let the vendor act for an institution, without a mouse."""
    page = look.sign_in("dora", f"/filing/{lei}/delegations/")
    page.get_by_label("Code of the organization").focus()
    page.keyboard.type(CODE.lower())
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("plains.example")
    page.get_by_label("Prepare only").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Prepare, certify and sign")).to_be_checked()
    page.get_by_role("button", name="Let it act").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/delegations/\d+/$"))
    expect(page.locator("main")).to_contain_text("prepare and sign for all periods")
    return page


def test_a_vendor_uploads_for_its_clients_until_it_is_ended(
    site: Service,
    open_page: Callable[[str], Look],
    files: list[Path],
) -> None:
    lender, vendor = open_page(site.url), open_page(site.url)
    delegation = let_act_by_keyboard(lender, LEIS[0])

    page = vendor.sign_in("vic", "/filing/")
    for number in range(3):
        expect(page.locator("main")).to_contain_text(f"Lender {number}")
    page = vendor.at("/filing/upload/")
    page.locator("#file").set_input_files(files)
    expect(page.locator("#files-news")).to_have_text("3 files can be uploaded, 1 cannot.")
    rows = page.locator("#files tbody tr")
    expect(rows.nth(0)).to_contain_text(f"Lender 0, {YEAR}")
    expect(rows.nth(0)).to_contain_text("Submission 1, new")
    expect(rows.nth(3)).to_contain_text("you cannot upload files for it")
    page.get_by_role("button", name="Upload 3 files").click()
    page.wait_for_url(re.compile(r"/upload/[0-9a-f]{32}/$"))
    expect(page.locator("#results tbody tr")).to_have_count(4)
    expect(page.locator("#files-news")).to_have_text("All 4 files are done.")
    assert page.get_by_role("link", name=re.compile("^Submission 1 of Lender")).count() == 3

    page = vendor.at("/filing/upload/")
    page.locator("#file").set_input_files(files[0])
    expect(page.locator("#files")).to_contain_text("already has this file")

    page = vendor.at("/filing/organizations/")
    page.get_by_role("link", name="Plains Data").click()
    page.get_by_role("link", name="Invite a person").click()
    page = vendor.at(f"/filing/organizations/{CODE}/log/")

    delegation.reload()
    expect(delegation.locator("main")).to_contain_text("Upload complete")
    delegation.get_by_role("link", name="End the delegation").click()
    delegation.get_by_label("Reason").fill("Another vendor files for us now.")
    delegation.get_by_role("button", name="End the delegation").click()
    delegation.wait_for_url("**/delegations/")
    expect(delegation.locator("main")).to_contain_text("Ended")

    page = vendor.at(f"/filing/{LEIS[0]}/{YEAR}/upload/", status=403)
    expect(page.locator("h1")).to_have_text("You cannot do this now")
    page = vendor.at("/filing/upload/")
    page.locator("#file").set_input_files(files[0])
    expect(page.locator("#files")).to_contain_text("you cannot upload files for it")


def test_many_files_are_uploaded_without_scripts(
    site: Service, browser: object, files: list[Path]
) -> None:
    context = browser.new_context(java_script_enabled=False)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(f"{site.url}/sign-in/?next=/filing/upload/")
    page.fill("[name=username]", "vic")
    page.fill("[name=password]", PASSWORD)
    page.click("main [type=submit]")
    page.wait_for_url("**/filing/upload/")
    page.locator("#file").set_input_files([files[1], files[3]])
    page.get_by_role("button", name="Upload the files").click()
    page.wait_for_url(re.compile(r"/upload/[0-9a-f]{32}/$"))
    expect(page.locator("main")).to_contain_text("Not uploaded")
    context.close()

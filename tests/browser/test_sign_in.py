"""From the home page to a filing started with curl: with the provider on board, and with another.

Both ways are walked in a real browser against a running service. Pictures of the stops lie in the
folder of the test.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from config.running.supervisor import free_port
from tests.browser import barriers
from tests.browser.conftest import Look, bank_of, email_of, emailed_path
from tests.flow.conftest import ALWAYS, Service

pytestmark = pytest.mark.slow

PASSWORD = "quiet lake 9 morning"
YEAR = "2025"
EMAIL = email_of("sign-in", "ann")
OTHER_PROVIDER = (sys.executable, "-W", "ignore", "-m", "oidc_provider_mock")


def curl(*words: str) -> tuple[int, dict]:
    """Return the status and the body that curl gets."""
    done = subprocess.run(
        ["curl", "--silent", "--write-out", "\n%{http_code}", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    body, _, status = done.stdout.rpartition("\n")
    return int(status), json.loads(body)


def open_for_filing(site: Service) -> None:
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])


def started(site: Service, lei: str, token: str) -> tuple[int, dict]:
    """Create a submission of the institution, as one does at a shell."""
    address = f"{site.url}/v2/filing/institutions/{lei}/filings/{YEAR}/submissions"
    return curl("--request", "POST", "--header", f"Authorization: Bearer {token}", address)


def copied(page: Page, field: str) -> str:
    """Press the button that copies a field, and return what a paste elsewhere then gives."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])  # would ask
    page.click(f"button[data-copy={field}]")
    expect(page.locator(f"button[data-copy={field}] + [role=status]")).to_have_text("Copied")
    page.fill("#id_token-name", "")
    page.focus("#id_token-name")
    page.evaluate("document.getElementById('id_token-name').removeAttribute('maxlength')")
    page.keyboard.press("Control+V")
    return page.input_value("#id_token-name")


def personal_token(page: Page, name: str) -> str:
    page.fill("#id_token-name", name)
    page.locator("#id_token-leis_group .usa-checkbox__label").first.click()
    page.fill("#id_token-days", "7")
    page.click("text=Create a token")
    return page.input_value("#new-token")


def confirm_institution(page: Page, name: str) -> None:
    expect(page.get_by_role("checkbox", name=re.compile(name))).to_be_checked()  # the only one
    page.click("text=Save and continue")
    page.wait_for_url("**/filing/")
    expect(page.locator("[role=status]").first).to_have_text("Your institutions were saved.")


@pytest.fixture
def picture(tmp_path: Path) -> Callable[[Page, str], None]:
    def take(page: Page, name: str) -> None:
        page.screenshot(path=tmp_path / f"{name}.png", full_page=True)

    return take


def test_a_filer_comes_from_the_home_page_to_a_filing(
    site: Service, open_page: Callable[[str], Look], picture: Callable[[Page, str], None]
) -> None:
    open_for_filing(site)
    look = open_page(site.url)
    page = look.at("/")
    picture(page, "1-home")
    page.locator("header >> text=Create an account").click()
    page.fill("#id_first_name", "Ann")
    page.fill("#id_last_name", "Example")
    page.fill("#id_password", PASSWORD)
    page.fill("#id_email", "ann@gmail.com")
    page.click("text=Create account")
    expect(page.locator("#id_email_error")).to_contain_text("Anyone can get an address")
    picture(page, "2-sign-up-refused")
    barriers.judge(look)
    page.fill("#id_email", EMAIL)
    page.fill("#id_password", PASSWORD)
    page.click("text=Create account")
    page.wait_for_url("**/sign-up/sent/")
    barriers.judge(look)
    picture(page, "3-look-into-your-mail")

    look.at(emailed_path(site, EMAIL, r"/sign-up/\S+/\S+"))
    barriers.judge(look)
    picture(page, "4-confirm")
    page.fill("#id_password", PASSWORD)
    page.click("text=Confirm and sign in")
    page.wait_for_url("**/filing/institutions/")
    barriers.judge(look)
    picture(page, "5-institutions")

    confirm_institution(page, bank_of("sign-in"))
    barriers.judge(look)
    look.at("/filing/profile/")
    barriers.judge(look)
    picture(page, "6-profile-with-institution")
    lei = page.locator("table th[scope=row]").first.inner_text()
    token = page.input_value("#access-token")
    assert copied(page, "access-token") == token
    status, submission = started(site, lei, token)
    assert (status, submission["id"]["lei"]) == (201, lei)
    assert f"/institutions/{lei}/filings/{YEAR}" in page.input_value("#curl")
    page.locator("text=Get a new token").click()
    page.wait_for_url("**/filing/profile/#developer")
    assert page.input_value("#access-token") != token

    personal = personal_token(page, "nightly upload")
    picture(page, "7-personal-token")
    barriers.judge(look)
    status, submission = started(site, lei, personal)
    assert (status, submission["id"]["sequenceNumber"]) == (201, 2)
    look.at("/filing/profile/")
    page.get_by_role("button", name="Revoke nightly upload").click()
    expect(page.locator("main")).to_contain_text("The token nightly upload was revoked.")
    assert started(site, lei, personal)[0] == 401

    page.locator("header >> text=Sign out").click()
    page.wait_for_url(f"{site.url}/")
    look.at("/filing/profile/")
    assert "/login" in page.url
    picture(page, "8-sign-in")
    barriers.judge(look)
    page.fill("#id_username", EMAIL)
    page.fill("#id_password", PASSWORD)
    page.locator("main >> button >> text=Sign in").click()
    page.wait_for_url("**/filing/profile/")
    barriers.judge(look)


@pytest.fixture(scope="module")
def other_provider() -> Iterator[str]:
    """A provider that others have written, which knows Ben."""
    port = free_port()
    address = f"http://localhost:{port}"
    process = subprocess.Popen(
        [*OTHER_PROVIDER, "--host", "localhost", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 30
        while True:
            try:
                claims = {
                    "email": "ben@bank1.example",
                    "email_verified": True,
                    "given_name": "Ben",
                    "family_name": "Example",
                    "preferred_username": "ben",
                }
                httpx.put(f"{address}/users/ben", json=claims).raise_for_status()
                break
            except httpx.TransportError:
                assert time.monotonic() < until, "The other provider does not answer."
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_a_filer_comes_to_a_filing_with_a_provider_of_another_organization(
    run_service: Callable[..., Service],
    other_provider: str,
    open_page: Callable[[str], Look],
    picture: Callable[[Page, str], None],
) -> None:
    site = run_service(3, OIDC_ISSUER=other_provider, OIDC_CLIENT_SECRET="secret")
    open_for_filing(site)
    look = open_page(site.url)
    page = look.at("/")
    assert page.locator("header >> text=Create an account").count() == 0
    page.locator("header >> text=Sign in").click()
    page.wait_for_url(f"{other_provider}/**")
    page.click("text=Deny")
    page.wait_for_url("**/sign-in/done?**")
    expect(page.locator("main")).to_contain_text("declined this sign-in")
    look.complaints.clear()  # of the provider's page
    barriers.judge(look)
    picture(page, "1-denied")
    page.click("text=Try again")
    page.fill("[name=sub]", "ben")
    page.click("text=Authorize >> nth=-1")
    page.wait_for_url("**/filing/institutions/")
    look.complaints.clear()
    expect(page.locator("header")).to_contain_text("Ben Example")
    confirm_institution(page, "Bank 1")
    look.at("/filing/profile/")
    expect(page.locator("main")).to_contain_text("You cannot use the access tokens")
    barriers.judge(look)
    picture(page, "2-profile")
    lei = page.locator("table th[scope=row]").first.inner_text()
    token = personal_token(page, "nightly upload")
    picture(page, "3-personal-token")
    barriers.judge(look)
    status, submission = started(site, lei, token)
    assert (status, submission["id"]["lei"]) == (201, lei)

    page.locator("header >> text=Sign out").click()
    page.wait_for_url(f"{other_provider}/**")
    page.click("text=End session >> nth=-1")
    page.wait_for_url(f"{site.url}/")
    look.complaints.clear()
    expect(page.locator("header")).to_contain_text("Sign in")

"""Tokens of the profile in a shell, and a provider of another organization to sign in with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from config.running.supervisor import free_port
from tests.browser import barriers
from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ
from tests.flow.conftest import ALWAYS, Service

pytestmark = pytest.mark.slow

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


def test_tokens_of_the_profile_file_from_a_shell(site: Service, look: Look) -> None:
    lei = lei_of("sign-in")
    employ(site, lei, "tom")
    page = look.sign_in("tom", "/filing/profile/", anew=True)
    token = page.input_value("#access-token")
    assert copied(page, "access-token") == token
    status, submission = started(site, lei, token)
    assert (status, submission["id"]["lei"]) == (201, lei)
    assert f"/institutions/{lei}/filings/20" in page.input_value("#curl")
    page.locator("text=Get a new token").click()
    page.wait_for_url("**/filing/profile/#developer")
    assert page.input_value("#access-token") != token

    personal = personal_token(page, "nightly upload")
    status, submission = started(site, lei, personal)
    assert (status, submission["id"]["sequenceNumber"]) == (201, 2)
    look.at("/filing/profile/")
    page.get_by_role("button", name="Revoke nightly upload").click()
    expect(page.locator("main")).to_contain_text("The token nightly upload was revoked.")
    assert started(site, lei, personal)[0] == 401


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
    page.click("text=Try again")
    page.fill("[name=sub]", "ben")
    page.click("text=Authorize >> nth=-1")
    page.wait_for_url("**/filing/institutions/")
    look.complaints.clear()
    expect(page.locator("header")).to_contain_text("Ben Example")
    expect(page.get_by_role("checkbox", name=re.compile("Bank 1"))).to_be_checked()  # the only one
    page.click("text=Save and continue")
    page.wait_for_url("**/filing/")
    look.at("/filing/profile/")
    expect(page.locator("main")).to_contain_text("You cannot use the access tokens")
    barriers.judge(look)
    lei = page.locator("table th[scope=row]").first.inner_text()
    token = personal_token(page, "nightly upload")
    status, submission = started(site, lei, token)
    assert (status, submission["id"]["lei"]) == (201, lei)

    page.locator("header >> text=Sign out").click()
    page.wait_for_url(f"{other_provider}/**")
    page.click("text=End session >> nth=-1")
    page.wait_for_url(f"{site.url}/")
    look.complaints.clear()
    expect(page.locator("header")).to_contain_text("Sign in")

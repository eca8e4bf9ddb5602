"""The second factor in a browser: an app without scripts, and a virtual passkey."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import barriers
from tests.browser.conftest import PASSWORD, WIDE, Look
from tests.config.identity.authenticators import app_code
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

MADE = f"""
from django.contrib.auth.models import User
from filing.models import Account, SecondFactor
for name in ("root", "boss"):
    User.objects.create_superuser(name, name + "@service.example", "{PASSWORD}")
Account.objects.update(staff_password_at=None)
lost = User.objects.create_user("lost", "lost@service.example")
SecondFactor.objects.create(user=lost, kind="passkey", name="lost phone", secret="x")
"""
STEP, SETTINGS, ADMIN = "/second-factor/", "/second-factor/settings/", "/admin/"


@pytest.fixture(scope="module")
def site(run_service: Callable[..., Service]) -> Service:
    """A service that requires a second factor of staff, at a name: passkeys are for names alone."""
    site = run_service(
        1,
        STAFF_SECOND_FACTOR="required",
        started_with={"PUBLIC_URL": lambda address, _: address.replace("127.0.0.1", "localhost")},
    )
    site.manage("shell", "-v", "0", "-c", MADE)
    return site


@pytest.fixture
def url(site: Service) -> str:
    return site.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def picture(tmp_path: Path) -> Callable[[Page, str], None]:
    def take(page: Page, name: str) -> None:
        page.screenshot(path=tmp_path / f"{name}.png", full_page=True)

    return take


def enter_password(page: Page, url: str, username: str) -> None:
    page.goto(f"{url}/sign-in/?next={ADMIN}")
    page.fill("[name=username]", username)
    page.fill("[name=password]", PASSWORD)
    page.click("main [type=submit]")
    page.wait_for_url(f"{url}{STEP}**")


def test_staff_set_up_a_passkey_and_sign_in_with_it(
    url: str, open_page: Callable[[str], Look], picture: Callable[[Page, str], None]
) -> None:
    look = open_page(url)
    page = look.page
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    enter_password(page, url, "root")
    page.wait_for_url(f"{url}{SETTINGS}**")
    barriers.judge(look)
    picture(page, "1-set-up")
    page.get_by_role("link", name="Add a passkey").click()
    barriers.judge(look)
    picture(page, "2-passkey")
    page.fill("#id_name", "laptop")
    page.get_by_role("button", name="Create the passkey").click()
    expect(page.locator("h1")).to_have_text("Your recovery codes")
    assert page.locator("main code").count() == 10
    barriers.judge(look)
    picture(page, "3-recovery-codes")
    page.get_by_role("link", name="Continue").click()
    page.wait_for_url(f"{url}{ADMIN}")

    page.context.clear_cookies()
    enter_password(page, url, "root")
    barriers.judge(look)
    picture(page, "4-second-step")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}{ADMIN}")
    page.goto(url + SETTINGS)
    barriers.judge(look)
    picture(page, "5-settings")


def test_an_app_needs_no_script(
    url: str, browser: Browser, picture: Callable[[Page, str], None]
) -> None:
    context = browser.new_context(viewport=WIDE, java_script_enabled=False)
    page = context.new_page()
    enter_password(page, url, "boss")
    page.wait_for_url(f"{url}{SETTINGS}**")
    page.get_by_role("link", name="Add a passkey").click()
    page.wait_for_url("**passkey**")
    expect(page.get_by_role("button", name="Create the passkey")).to_have_count(0)
    page.locator("main").get_by_role("link", name="set up an authenticator app").click()
    picture(page, "6-app")
    key = page.locator("main code").inner_text()
    page.fill("[name=code]", app_code(key))
    page.click("main [type=submit]")
    page.get_by_role("link", name="Continue").click()
    page.wait_for_url(f"{url}{ADMIN}")
    context.clear_cookies()
    enter_password(page, url, "boss")
    page.fill("[name=code]", "WRONG")
    page.get_by_role("button", name="Sign in with the code").click()
    expect(page.locator("main")).to_contain_text("This code is not right")
    picture(page, "7-wrong-code")
    page.fill("[name=code]", app_code(key, later=1))
    page.get_by_role("button", name="Sign in with the code").click()
    page.wait_for_url(f"{url}{ADMIN}")

    page.goto(f"{url}{ADMIN}auth/user/?q=lost")
    page.get_by_role("link", name="lost", exact=True).click()
    picture(page, "8-user")
    page.get_by_role("link", name="Reset the second factor").click()
    picture(page, "9-reset")
    page.fill("[name=reason]", "Lost the phone; called back.")
    page.locator("main [type=submit], #content [type=submit]").first.click()
    expect(page.locator("#content")).to_contain_text("The second factor was removed.")
    picture(page, "10-reset-done")
    context.close()

"""The second factor in a browser: a virtual passkey."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import barriers
from tests.browser.conftest import PASSWORD, Look
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

MADE = f"""
from django.contrib.auth.models import User
from filing.models import Account
User.objects.create_superuser("root", "root@service.example", "{PASSWORD}")
Account.objects.update(staff_password_at=None)
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


def enter_password(page: Page, url: str, username: str) -> None:
    page.goto(f"{url}/sign-in/?next={ADMIN}")
    page.fill("[name=username]", username)
    page.fill("[name=password]", PASSWORD)
    page.click("main [type=submit]")
    page.wait_for_url(f"{url}{STEP}**")


def test_staff_set_up_a_passkey_and_sign_in_with_it(
    url: str, open_page: Callable[[str], Look]
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
    page.get_by_role("link", name="Add a passkey").click()
    barriers.judge(look)
    page.fill("#id_name", "laptop")
    page.get_by_role("button", name="Create the passkey").click()
    expect(page.locator("h1")).to_have_text("Your recovery codes")
    assert page.locator("main code").count() == 10
    barriers.judge(look)
    page.get_by_role("link", name="Continue").click()
    page.wait_for_url(f"{url}{ADMIN}")

    page.context.clear_cookies()
    enter_password(page, url, "root")
    barriers.judge(look)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}{ADMIN}")
    page.goto(url + SETTINGS)
    barriers.judge(look)

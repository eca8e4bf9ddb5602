"""Every page is judged; menus work with and without script; pages of failures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse
from playwright.sync_api import expect

from tests.browser import barriers
from tests.browser.conftest import NARROW, WIDE, Look
from tests.browser.states_for_everyone import EVERYONE
from tests.browser.states_for_filers import FILERS
from tests.browser.states_for_staff import STAFF
from tests.flow.conftest import Service

# Each name of an address outside the admin and the APIs is that of a judged state, or is reached by
# steps from one, or stands in one of these. The pages of a quarter are those of a year.
REACHED_BY_STEPS = {
    *("case-opened", "lar-columns", "lar-result", "filing-many-results", "second-factor"),
    *("filing-contact", "filing-invitation", "new-password"),  # by emailed links
    # In services of their own, see test_second_factor.py and test_reports.py.
    *("recovery-codes", "report", "reports-msa-md", "reports-institution", "disclosure-report"),
    *("reports-institution-msa-md", "irs:page", "reports-aggregate", "reports-state"),
    *("reports-disclosure", "data-version"),
}
WITHOUT_PAGE = {
    "design",  # of developers: no service has it
    # Texts, documents, probes, calls and events for programs and scripts.
    *("security-txt", "security-txt-at-the-root", "robots-txt", "assistants", "llms"),
    *("api-catalogue", "healthz", "readyz", "openapi", "identity:discovery", "identity:certs"),
    *("receipt-keys", "identity:token", "identity:device-authorization", "identity:userinfo"),
    *("users:own", "parse-ts-by-short-path", "modified-lar-list", "season-clock", "irs:json"),
    *("filing-events", "filing-uploads", "filing-new-uploads", "filing-upload-part"),
    *("filing-many-plan", "data-sql-worker"),
    # Files, pictures and parts of pages.
    *("irs:csv", "irs:file", "check-digit-generated", "check-digit-validated"),
    *("rate-spread-list", "graph-file", "quarterly-filers-csv", "filing-deadlines-calendar"),
    *("filing-file", "data-browser-places", "data-browser-counts", "data-browser-picture"),
    *("data-browser-map-image", "data-browser-feed", "data-browser-loans", "guide-picture"),
    # Redirects, and posts that end so.
    *("sign-in", "sign-out", "data", "tools", "filing-instructions", "lar-formatting"),
    *("online-lar-formatting", "lar-file", "profile-name", "profile-institutions"),
    *("profile-tokens", "profile-token-revoke", "second-factor-remove", "filing-notify"),
    *("filing-webhook-change", "filing-webhook-replay", "filing-record-withdraw"),
    *("filing-register-withdraw", "filing-organization-withdraw"),
}
API = ("admin/", "v2/", "public/", "file/", "reports/", "quarterly-data/")
UNNAMED = "None"  # what stands before addresses of the admin, and redirects


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}"
        elif not str(pattern.pattern).startswith(API):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from named(pattern.url_patterns, inner)


def list_judged_names() -> set[str]:
    """Return the names of the addresses of all states that are judged."""
    names = set()
    for state in (EVERYONE | FILERS | STAFF).values():
        path = re.sub(r"{\w+}", "1", state.path.partition("?")[0])
        with suppress(Resolver404):
            names.add(resolve(path).view_name)
    return names


def test_every_address_is_judged_or_is_known_to_have_no_page():
    names = set(named(get_resolver().url_patterns)) - {UNNAMED}
    names = {name for name in names if not name.startswith("quarter-filing-")}
    judged = list_judged_names() & names
    assert not judged & WITHOUT_PAGE
    assert names == judged | REACHED_BY_STEPS | WITHOUT_PAGE


def test_menu_opens_on_a_narrow_screen_and_leads_on(look: Look):
    page = look.at("/")
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="API").click()
    page.get_by_role("link", name="API reference").first.click()
    page.wait_for_url(f"**{reverse('redoc')}")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_without_script_the_header_shows_all_of_its_links(without_script: Look, size):
    scriptless = without_script.at("/")
    scriptless.set_viewport_size(size)
    links = scriptless.locator("header nav a")
    assert links.count() > 10
    hidden = [link.inner_text() for link in links.all() if not link.is_visible()]
    assert not hidden
    assert not [each for each in scriptless.locator("header button").all() if each.is_visible()]
    for section in ("Tools", "Data", "API"):
        expect(scriptless.locator(".site-nav__label", has_text=section)).to_be_visible()
    assert scriptless.evaluate("document.documentElement.scrollWidth") <= size["width"]
    scriptless.get_by_role("link", name="API reference").first.click()
    scriptless.wait_for_url(f"**{reverse('redoc')}")


def test_with_script_the_menus_are_folded(look: Look):
    page = look.at("/")
    expect(page.get_by_role("button", name="Tools")).to_be_visible()
    expect(page.locator("header").get_by_role("link", name="Check a line")).not_to_be_visible()


def test_menus_show_their_links_where_the_script_of_the_design_system_does_not_come(look: Look):
    look.page.route("**/uswds.min.js", lambda route: route.abort())
    page = look.at("/")
    page.locator("header").get_by_role("link", name="Check a line").wait_for()
    look.complaints.clear()  # that it did not come


def test_menus_are_worked_by_keyboard(look: Look):
    page = look.at("/")
    menu = page.get_by_role("button", name="Tools")
    menu.focus()
    assert menu.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    assert menu.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Check a line"
    page.keyboard.press("Escape")
    assert menu.get_attribute("aria-expanded") == "false"
    assert page.evaluate("document.activeElement.textContent.trim()") == "Tools"


def test_menu_of_a_narrow_screen_is_worked_by_keyboard(look: Look):
    page = look.at("/")
    page.set_viewport_size(NARROW)
    menu = page.locator(".usa-menu-btn")
    menu.focus()
    assert menu.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    assert menu.get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.className") == "usa-nav__close"
    page.keyboard.press("Escape")
    assert menu.get_attribute("aria-expanded") == "false"
    assert page.evaluate("document.activeElement.className") == "usa-menu-btn"


def test_entries_of_the_account_stand_apart_on_a_narrow_screen(look: Look):
    page = look.at("/")
    page.set_viewport_size(NARROW)
    page.get_by_role("button", name="Menu").click()
    account = page.locator(".site-account")
    first = account.get_by_role("link", name="Create an account").bounding_box()
    second = account.get_by_role("link", name="Sign in").bounding_box()
    assert first["height"] >= 24
    assert second["height"] >= 24
    assert second["y"] >= first["y"] + first["height"] + 1  # with a line between them


def test_keyboard_skips_the_navigation(look: Look):
    page = look.at("/help/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.fixture(scope="module")
def troubled(run_service: Callable[..., Service]) -> Service:
    """A test environment where no one may try to sign in twice, and no session can be read."""
    service = run_service(1, LIMIT_SIGN_IN="1/h:1", SIGNING_ENABLED="false")
    gone = "ALTER TABLE django_session RENAME TO gone"
    service.manage(
        "shell", "-v", "0", "-c",
        f"from django.db import connection; connection.cursor().execute('{gone}')",
    )  # fmt: skip
    return service


def test_page_of_a_failure_is_sound(troubled: Service, open_page: Callable[[str], Look]):
    look = open_page(troubled.url)
    look.page.context.add_cookies([{"name": "sessionid", "value": "s" * 32, "url": troubled.url}])
    page = look.at("/", 500)
    assert "nothing you sent earlier is lost" in page.locator("main").inner_text()
    barriers.judge(look)


def test_page_over_the_limit_is_sound(troubled: Service, open_page: Callable[[str], Look]):
    look = open_page(troubled.url)
    for _ in range(2):
        page = look.at(reverse("identity:login"))
        page.get_by_text("This is the test environment").wait_for()
        page.fill("[name=username]", "unknown")
        page.fill("[name=password]", "wrong")
        page.click("main [type=submit]")
    page.get_by_role("heading", name="Too many requests").wait_for()
    barriers.judge(look)

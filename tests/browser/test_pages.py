"""Every page outside the admin: read by axe, by a narrow screen, and for what it complains of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.conftest import (
    MOST_BYTES,
    NARROW,
    PASSWORD,
    WIDE,
    Look,
    emailed_path,
    on_the_wire,
)
from tests.flow.conftest import Service

# Each name of an address outside the admin and the APIs stands in one of these.
PAGES = (
    *("accessibility", "privacy"),
    *("home", "help", "guides", "api-guide", "open-case"),
    *("swagger", "redoc", "identity:login", "check-digit", "rate-spread"),
    *("sign-up", "sign-up-sent", "forgotten", "forgotten-sent"),
    *(
        "check-line",
        "am-i-covered",
        "check-file",
        "lar-tool",
        "lar-edit",
        "check-receipt",
        "edit-book",
        "graphs",
        "data-browser",
        "data-changes",
        "data-downloads",
        "data-modified-lars",
        "data-sql",
        "quarterly-calendar",
        "quarterly-filers",
        "season-clock-page",
        "reports",
    ),
)
WITH_A_TEST_OF_THEIR_OWN = {
    *(
        "session",
        "profile",
        "identity:auth",
        "identity:logout",
        "device",
        "confirm-email",
        "new-password",
        "signed-in",
        "second-factor",
        "second-factors",
        "second-factor-app",
        "second-factor-passkey",
        "recovery-codes",
    ),
    *(
        "edit-page",
        "graph",
        "guide",
        "filing-instructions-of-year",
        "data-differences",
        "data-version",
        "irs:page",
        *("reports-aggregate", "reports-state", "reports-msa-md", "report"),
        *("reports-disclosure", "reports-institution", "reports-institution-msa-md"),
        "disclosure-report",
    ),
    *("lar-columns", "lar-result"),
    *("filing-pages", "filing-deadlines", "choose-institutions"),
    *(
        f"{each}filing-{page}"
        for each in ("", "quarter-")
        for page in (
            "period",
            "submission",
            "upload",
            "new-upload",
            "formatting-errors",
            "edits",
            "rules",
            "edit",
            "edits-report",
            "compare",
            "verify",
            "sign",
            "receipt",
            "discard",
        )
    ),
    "case-opened",
    "filing-institution",
    "filing-records-reason",
    *("filing-webhooks", "filing-webhook"),
    *("filing-invitation", "filing-contact"),
    "filing-people",
    *(
        f"filing-people-{page}"
        for page in (
            *("invite", "confirm", "joining", "leave", "administer", "change", "end"),
            *("withdraw", "request"),
        )
    ),
    *("filing-record", "filing-register"),
    *("filing-many", "filing-many-results"),
    "filing-organizations",
    *(
        f"filing-organization{page}"
        for page in (
            *("", "-invite", "-person", "-person-end"),
            *("-client", "-client-end", "-end", "-log"),
        )
    ),
    *("filing-delegations", "filing-delegation", "filing-delegation-end"),
}
WITHOUT_PAGE = {
    "design",  # of developers: no service has it
    *("security-txt", "security-txt-at-the-root", "robots-txt"),  # texts for programs
    *("assistants", "llms", "api-catalogue"),  # calls and texts for programs
    *("healthz", "readyz"),  # probes
    *("openapi", "identity:discovery", "identity:certs", "receipt-keys"),  # documents for programs
    # Calls of programs.
    *("identity:token", "identity:device-authorization", "identity:userinfo", "users:own"),
    "parse-ts-by-short-path",
    "modified-lar-list",
    "season-clock",
    *("irs:json", "irs:csv", "irs:file"),
    *("sign-in", "sign-out"),  # redirects
    *("profile-name", "profile-institutions", "profile-tokens", "profile-token-revoke"),  # posts
    "second-factor-remove",  # a post
    *("lar-formatting", "online-lar-formatting", "lar-file"),  # redirects, and a post that ends so
    # Files.
    *("check-digit-generated", "check-digit-validated", "rate-spread-list", "graph-file"),
    "quarterly-filers-csv",
    *("data", "tools"),  # redirects
    *("filing-deadlines-calendar", "filing-file", "quarter-filing-file"),  # files
    *("filing-notify", "quarter-filing-notify"),  # posts
    *("filing-webhook-change", "filing-webhook-replay"),  # posts
    *("filing-record-withdraw", "filing-register-withdraw"),  # posts
    *("filing-events", "quarter-filing-events"),  # events for scripts
    *("filing-uploads", "quarter-filing-uploads"),  # calls of scripts
    *("filing-new-uploads", "quarter-filing-new-uploads"),
    "filing-many-plan",
    "filing-organization-withdraw",  # a post
    *("filing-upload-part", "quarter-filing-upload-part"),
    *(
        "data-browser-places",
        "data-browser-counts",
        "data-browser-picture",
        "data-browser-map-image",
        "data-browser-feed",
        "data-browser-loans",
    ),  # a part of a page, its pictures and files
    "data-sql-worker",  # a script
    "guide-picture",
    "filing-instructions",  # a redirect
}
# Hundreds of parts that are made alike: the first ones say for all whether they are sound.
MORE_OF_THE_SAME = {
    "redoc": "section:nth-of-type(n+3), article:nth-of-type(n+6)",
    "edit-book": "tbody tr:nth-child(n+41)",
}
HEAVY = {"swagger", "redoc"}  # a program of others, and the whole API on one page
API = ("admin/", "v2/", "public/", "file/", "reports/", "quarterly-data/")
UNNAMED = "None"  # what stands before addresses of the admin, and redirects


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}"
        elif not str(pattern.pattern).startswith(API):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from named(pattern.url_patterns, inner)


def test_every_address_is_looked_at_or_is_known_to_have_no_page():
    looked_at = {*PAGES, *WITH_A_TEST_OF_THEIR_OWN}
    assert set(named(get_resolver().url_patterns)) - {UNNAMED} == looked_at | WITHOUT_PAGE


@pytest.mark.parametrize("name", PAGES)
def test_page_is_sound(tab: Look, name):
    page = tab.at(reverse(name))
    assert page.locator("h1").count() == 1
    tab.fits()
    if more := MORE_OF_THE_SAME.get(name):
        page.locator(more).evaluate_all("all => all.forEach((element) => element.remove())")
    tab.is_sound()
    tab.is_sound_in_the_dark()


@pytest.mark.parametrize("name", PAGES)
def test_page_stays_still_and_keeps_its_texts_whole(tab: Look, name):
    for size in (NARROW, WIDE):
        tab.page.set_viewport_size(size)
        tab.at(reverse(name))
        tab.stays_still()
    tab.keeps_texts_whole()


@pytest.mark.parametrize("name", [name for name in PAGES if name not in HEAVY])
def test_a_first_page_is_light(site: Service, browser: Browser, name):
    context = browser.new_context(viewport=WIDE)
    look = Look(context.new_page(), site.url)
    responses: list[Response] = []
    look.page.on("response", lambda response: responses.append(response))
    look.at(reverse(name))
    look.wait_until_idle()
    sizes = {each.url: on_the_wire(each) for each in responses}
    context.close()
    assert sum(sizes.values()) <= MOST_BYTES, sizes


@pytest.mark.parametrize(
    "name",
    [
        *("data-changes", "data-downloads", "data-modified-lars", "data-sql"),
        *("graphs", "quarterly-calendar", "quarterly-filers", "reports"),
    ],
)
def test_a_page_of_data_prints_its_answer(tab: Look, name):
    page = tab.at(reverse(name))
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for part in ("header", "footer", "main form", "#programs"):
        shown = [each for each in page.locator(part).all() if each.is_visible()]
        assert not shown, part
    page.emulate_media(media="screen")


def test_no_answer_of_a_page_allows_anything_unsafe(site: Service, look: Look):
    response = look.page.goto(site.url)
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "nonce" not in policy


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("vendor/uswds/fonts/source-sans-pro/sourcesanspro-bold-webfont.woff2", "font/woff2"),
        ("vendor/uswds/img/usa-icons/close.svg", "image/svg+xml"),
        ("vendor/htmx/htmx.min.js", "text/javascript"),
        ("site.css", "text/css"),
    ],
)
def test_static_files_are_served_for_what_they_are(look: Look, path, kind):
    answer = look.page.request.get(f"{look.url}/static/{path}")
    assert answer.headers["content-type"].split(";")[0] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_calls_of_the_api_can_be_tried_in_the_page(look: Look):
    page = look.at(reverse("swagger"))
    call = page.locator("#operations-Filing-health")
    call.locator(".opblock-summary-control").click()
    call.get_by_role("button", name="Try it out").click()
    call.get_by_role("button", name="Execute").click()
    call.locator(".live-responses-table .response-col_status", has_text="200").first.wait_for()
    look.is_sound()
    page.get_by_role("button", name="Authorize").click()
    page.locator(".dialog-ux").wait_for()
    look.is_sound()


def test_menu_opens_on_a_narrow_screen_and_leads_on(look: Look):
    page = look.at("/")
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="API").click()
    look.is_sound()
    page.get_by_role("link", name="API reference").first.click()
    page.wait_for_url(f"**{reverse('redoc')}")


@pytest.fixture
def scriptless(site: Service, browser: Browser) -> Iterator[Page]:
    """A page of a browser that runs no script."""
    context = browser.new_context(java_script_enabled=False, viewport=WIDE)
    page = context.new_page()
    page.goto(site.url)
    yield page
    context.close()


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_without_script_the_header_shows_all_of_its_links(scriptless: Page, size):
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
    look.is_sound()


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


def test_sign_in_page_says_what_is_wrong(look: Look):
    page = look.at(reverse("identity:login"))
    page.fill("[name=username]", "root")
    page.fill("[name=password]", "wrong")
    page.click("main [type=submit]")
    page.get_by_role("alert").wait_for()
    look.is_sound()


def test_pages_of_a_signed_in_user_are_sound(look: Look):
    page = look.sign_in("root")
    page.get_by_role("link", name="Admin").first.wait_for()
    look.is_sound()
    look.fits()
    look.at(reverse("profile"))
    look.is_sound()
    look.fits()
    page = look.at(reverse("identity:logout"))
    assert page.locator("h1").inner_text() == "Sign out?"
    look.is_sound()
    look.fits()


def test_consent_and_its_refusal_are_sound(look: Look):
    look.sign_in("root")
    asked = (
        "?client_id=consent&response_type=code&scope=openid&state=s&redirect_uri=http://127.0.0.1/"
        "&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
    page = look.at(reverse("identity:auth") + asked)
    page.get_by_role("button", name="Allow", exact=True).wait_for()
    look.is_sound()
    look.fits()
    look.at(reverse("identity:auth") + "?client_id=unknown&response_type=code", 400)
    look.is_sound()
    look.fits()


def test_failed_sign_in_is_sound(look: Look):
    look.at(reverse("signed-in") + "?error=access_denied&state=unknown", 400)
    look.is_sound()
    look.fits()


def test_pages_that_mails_lead_to_are_sound(site: Service, look: Look):
    page = look.at(reverse("sign-up"))
    page.click("main [type=submit]")
    page.fill("[name=email]", "eve@unknown.example")
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.click("main [type=submit]")
    page.get_by_role("alert").wait_for()
    look.is_sound()
    look.fits()
    page = look.at(reverse("forgotten"))
    page.fill("[name=email]", "ann@bank1.example")
    page.click("main [type=submit]")
    page.wait_for_url("**" + reverse("forgotten-sent"))
    page = look.at(emailed_path(site, "ann@bank1.example", r"/forgotten/[^/\s]+/[^/\s]+/"))
    page.locator("[type=password]").first.wait_for()
    look.is_sound()
    look.fits()
    page = look.at(reverse("confirm-email", args=["MQ", "spent"]), 410)
    look.is_sound()
    look.fits()


TOO_MANY_FIELDS = reverse("identity:login") + "?" + "a&" * 1100


@pytest.mark.parametrize(
    ("path", "status"), [("/nothing", 404), (TOO_MANY_FIELDS, 400)], ids=["404", "400"]
)
def test_error_page_is_sound(look: Look, path, status):
    page = look.at(path, status)
    page.get_by_text("give this number").wait_for()
    look.is_sound()
    look.fits()


def test_page_without_rights_is_sound(look: Look):
    look.sign_in("desk")
    look.at(reverse("admin:filing_institution_add"), 403)
    look.is_sound()
    look.fits()


def test_form_without_its_cookie_is_refused_in_words(look: Look):
    page = look.at(reverse("identity:login"))
    page.fill("[name=username]", "root")
    page.fill("[name=password]", PASSWORD)
    page.context.clear_cookies()
    page.click("main [type=submit]")
    page.get_by_role("heading", name="This form was not accepted").wait_for()
    look.is_sound()
    look.fits()


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


def test_a_case_is_opened_and_its_page_is_sound(
    site: Service, open_page: Callable[[str], Look]
) -> None:
    look = open_page(site.url)
    page = look.at(reverse("open-case"))
    for name, value in (
        ("name", "Ann Example"),
        ("email", "ann@new-bank.example"),
        ("institution", "New Bank"),
        ("text", "Add our email domain."),
    ):
        page.fill(f"[name={name}]", value)
    page.get_by_role("button", name="Send to the help desk").click()
    assert page.locator("h1").inner_text().startswith("Your case is ")
    look.is_sound()
    look.fits()


def test_page_of_a_failure_is_sound(troubled: Service, open_page: Callable[[str], Look]):
    look = open_page(troubled.url)
    look.page.context.add_cookies([{"name": "sessionid", "value": "s" * 32, "url": troubled.url}])
    page = look.at("/", 500)
    assert "nothing you sent earlier is lost" in page.locator("main").inner_text()
    look.is_sound()
    look.fits()


def test_page_over_the_limit_is_sound(troubled: Service, open_page: Callable[[str], Look]):
    look = open_page(troubled.url)
    for _ in range(2):
        page = look.at(reverse("identity:login"))
        page.get_by_text("This is the test environment").wait_for()
        page.fill("[name=username]", "unknown")
        page.fill("[name=password]", "wrong")
        page.click("main [type=submit]")
    page.get_by_role("heading", name="Too many requests").wait_for()
    look.is_sound()
    look.fits()

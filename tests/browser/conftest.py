"""A running service in a real browser, which tells of everything that went wrong in a page."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Playwright,
    Request,
    Response,
    expect,
    sync_playwright,
)

from config.running import supervisor
from tests.empty_database import EmptyDatabase
from tests.flow.conftest import ALWAYS, Service, run_for_all, run_service

__all__ = ["run_for_all", "run_service"]  # fixtures of the flow tests, shared

# The first has no windows to draw, and so takes a fifth less time.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM += ("google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",
    "--renderer-process-limit=1",  # a page starts no process of its own
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "correct horse 9 battery"
# Milliseconds that a page has for what it is asked, also beside much other work.
LIMIT = 60_000
LAUNCHES = 3
FILLED_YEAR = "2025"  # in which staff find a filing
LIGHT_PAGE = "/privacy/"
# For which a sign-in is kept: what asks for a fresh one takes fifteen minutes.
SESSION_SECONDS = 600

# Each of these files for an institution of its own, since all share a service. Ann's is in rows.py.
OWNERS = ("has not filed", "ann", "staff", "keyboard", "upload", "help desk", "failure")
OWNERS += ("sign-in", "sign-up", "receipt", "lar tool", "calls", "journeys", "people", "states")
OWNERS += ("states of people", "states of records", "states of clients", "states of a tool")
TELL_VIOLATIONS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { hadRecentInput, sources, value } of list.getEntries()) {
    const moved = sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 120));
    if (!hadRecentInput) window.shifts.push({ value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
addEventListener("securitypolicyviolation", (event) => console.error(
  "CSP " + event.effectiveDirective + " " + event.blockedURI + " " + event.sourceFile
  + ":" + event.lineNumber + " " + event.sample));
"""
IDLE = """() => new Promise((resolve) => {
  setTimeout(() => requestIdleCallback(resolve, { timeout: 1000 }), 40);
})"""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 320, "height": 640}

# When people signed in, and their cookies, by the address of the service and the username.
_sessions: dict[tuple[str, str], tuple[float, list[Any]]] = {}


@dataclass
class Look:
    """A page of the browser, and what it complained of since it was last asked.

    pictures: where those for the documents go, if they are wanted.
    """

    page: Page
    url: str
    pictures: Path | None = None
    complaints: list[str] = field(default_factory=list)
    pending: set[Request] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(LIMIT)
        self.page.add_init_script(TELL_VIOLATIONS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        self.page.on("requestfailed", self._lost)
        self.page.on("response", self._response)
        self.page.on("request", self._begin)
        self.page.on("requestfinished", self._end)
        self.page.on("requestfailed", self._end)

    def read_focused_label(self) -> str:
        """Return the accessible name that the focused element is given, blank without one."""
        label = self.page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")
        return str(label)

    def _console(self, message: ConsoleMessage) -> None:
        # What could not be loaded is told by its response, with the address.
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def _begin(self, request: Request) -> None:
        # An event source stays open; a navigation is waited for anyway, or becomes a download.
        if request.resource_type != "eventsource" and not request.is_navigation_request():
            self.pending.add(request)

    def _end(self, request: Request) -> None:
        self.pending.discard(request)

    def _lost(self, request: Request) -> None:
        left = request.failure == "net::ERR_ABORTED"  # for another page, before this had come
        if not left and not request.is_navigation_request():  # those are told by who navigates
            self.complaints.append(f"lost: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and not response.request.is_navigation_request():
            self.complaints.append(f"{response.status}: {response.url}")

    def at(self, path: str, status: int = 200) -> Page:
        """Go to a path of the site."""
        response = self.page.goto(self.url + path)
        assert response is not None
        assert response.status == status, f"{path} answers {response.status}"
        return self.page

    def wait_until_idle(self) -> None:
        """Wait until scripts have nothing to do and nothing to wait for, twice in a row.

        The network idle of the browser means half a second more for each page.
        """
        self.page.wait_for_load_state()
        until, idle = time.monotonic() + 30, 0
        while idle < 2:
            try:
                self.page.evaluate(IDLE)
            except Error:  # another page came
                self.page.wait_for_load_state()
                idle = 0
            else:
                idle = 0 if self.pending else idle + 1
            assert time.monotonic() < until, f"{self.page.url} still loads {self.pending}"

    def picture(self, name: str) -> None:
        """Keep what is seen for the documents: the window, not what one has to scroll to."""
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=self.pictures / f"{name}.png")

    def sign_in(self, username: str, onward: str = "/", *, anew: bool = False) -> Page:
        """Go to a path as someone, who signs in at the embedded provider.

        anew: with a session of its own, for a test that ends or changes it; else a person signs in
            once in a while.
        """
        if not anew and self._take_session(username):
            return self.at(onward)
        self.at(f"/sign-in/?next={onward}")
        self.page.fill("[name=username]", username)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("main [type=submit]")
        self.page.wait_for_url(self.url + onward)
        if not anew:
            _sessions[self.url, username] = time.monotonic(), self.page.context.cookies()
        return self.page

    def begin_session(self, username: str, *, anew: bool = False) -> None:
        """Let what is opened next be opened by someone."""
        if anew or not self._take_session(username):
            self.sign_in(username, LIGHT_PAGE, anew=anew)

    def _take_session(self, username: str) -> bool:
        """Take the session in which someone has signed in; return whether there is one."""
        began, cookies = _sessions.get((self.url, username), (0.0, []))
        is_fresh = bool(cookies) and time.monotonic() - began < SESSION_SECONDS
        if is_fresh:
            self.page.context.add_cookies(cookies)
        return is_fresh


def installed(playwright: Playwright) -> str:
    """Return the Chromium of this machine."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), playwright.chromium.executable_path)
    if not Path(found).exists():
        pytest.fail("There is no Chromium on this machine: `make browser` installs one.")
    return found


def launch_browser(playwright: Playwright) -> Browser:
    """Start Chromium, and again if it crashes as it starts, before there is any page of ours."""
    start = partial(
        playwright.chromium.launch,
        executable_path=installed(playwright),
        args=list(QUIET),
        timeout=LIMIT,
    )
    for _ in range(LAUNCHES - 1):
        with suppress(Error):
            return start()
    return start()


@pytest.fixture(scope="session")
def browser(empty_database: EmptyDatabase) -> Iterator[Browser]:
    """Chromium, started once for each process of the tests: its driver takes seconds to start.

    While it is open an event loop runs in this process, and Django's database refuses to be used:
    so the empty database is made before, and files of other folders are run by another process.
    """
    expect.set_options(timeout=LIMIT)
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(run_for_all: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory) -> Service:
    """A service with a superuser `root` and a user of the help desk, and without limits.

    Its static files are compressed, as those of `make run`.
    """
    limits = ("LIMIT_PUBLIC", "LIMIT_AUTHENTICATED", "LIMIT_SIGN_IN")
    static = tmp_path_factory.mktemp("static")
    with supervisor.collect_static_files(static):
        pass
    features = {"SEASON_CLOCK_ENABLED": "true"}
    site = run_for_all(
        len(OWNERS), STATIC_ROOT=str(static), **features, **dict.fromkeys(limits, "off")
    )
    site.manage("shell", "-v", "0", "-c", (Path(__file__).parent / "rows.py").read_text())
    return site


@pytest.fixture(scope="session")
def filled(site: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The service after a filing: with rows in every table of the admin."""
    register, lei = tmp_path_factory.mktemp("register") / "lar.txt", lei_of("staff")
    site.manage_all(["load_census", FILLED_YEAR, "--demo"], ["open_season", FILLED_YEAR, *ALWAYS])
    made = ("--year", FILLED_YEAR, "--lei", lei)
    site.manage("make_lar", *made, "--rows", "40", "--fail", "Q611", str(register))
    where = ("--url", site.url, "--token", site.tokens[lei])
    site.manage("file_lar", str(register), *made, *where, "--verify", "--sign")
    return site


class OpenPage(Protocol):
    """Opens a page in a browser without any session. options: of the context of Chromium."""

    def __call__(self, url: str, **options: Any) -> Look: ...


@pytest.fixture
def open_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Open pages of their own; what is left complained of at the end fails."""
    looks: list[Look] = []

    def open_at(url: str, **options: Any) -> Look:
        context = browser.new_context(**({"viewport": WIDE} | options))
        looks.append(Look(context.new_page(), url, request.config.getoption("--pictures")))
        return looks[-1]

    yield open_at
    for look in looks:
        look.page.context.close()
    complaints = [complaint for look in looks for complaint in look.complaints]
    assert not complaints


@pytest.fixture
def look(site: Service, open_page: OpenPage) -> Look:
    return open_page(site.url)


@pytest.fixture
def without_script(site: Service, open_page: OpenPage) -> Look:
    """A page of a browser that runs no script."""
    return open_page(site.url, java_script_enabled=False)


@pytest.fixture(scope="session")
def shared_tab(site: Service, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Look]:
    context = browser.new_context(viewport=WIDE)
    yield Look(context.new_page(), site.url, request.config.getoption("--pictures"))
    context.close()


@pytest.fixture
def tab(shared_tab: Look) -> Iterator[Look]:
    """A page for tests that only look at pages: it keeps its process and files, but no session.

    To go on to another page takes a third of the time of a browser's first one.
    """
    shared_tab.page.context.clear_cookies()
    shared_tab.page.set_viewport_size(WIDE)
    shared_tab.complaints.clear()  # a test that failed may have left some
    yield shared_tab
    shared_tab.page.evaluate("localStorage.clear()")
    assert not shared_tab.complaints


def save_download(page: Page, link: Locator) -> tuple[str, Path]:
    """Follow what leads to a file; return its name, and where it lies once all of it has come."""
    with page.expect_download() as download:
        link.click()
    return download.value.suggested_filename, download.value.path()


def lei_of(owner: str) -> str:
    """Return the LEI of the institution that these tests file for."""
    return f"FLOWTEST{OWNERS.index(owner):012d}"


def bank_of(owner: str) -> str:
    """Return the name of the institution that these tests file for; its domain is alike."""
    return f"Bank {OWNERS.index(owner)}"


def email_of(owner: str, name: str) -> str:
    """Return the email address of a person at the institution that these tests file for."""
    return f"{name}@bank{OWNERS.index(owner)}.example"


def emailed_path(site: Service, address: str, pattern: str) -> str:
    """Return the path of a link like this that was emailed to an address: written to a log."""
    email = rf"^To: {re.escape(address)}$(?:(?!^-{{20}}).)*?^{site.url}({pattern})$"
    until = time.monotonic() + LIMIT / 1000
    while time.monotonic() < until:
        logs = site.stack.logs.glob("worker-*.log")
        log = "".join(path.read_text(errors="replace") for path in logs)
        if links := re.findall(email, log, re.MULTILINE | re.DOTALL):
            return str(links[-1])
        time.sleep(0.1)
    raise AssertionError(f"No email to {address} was written to the log of a worker.")

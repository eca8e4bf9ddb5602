"""What a person is told while a file is chosen, sent and checked, and when that stops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ, register, start  # noqa: F401 -- a fixture
from tests.flow.conftest import Service
from tests.flow.processes import paused
from tests.resilience.between import Between

# Ends the right of a person; prints whether they still have one.
END_NED = """
from filing.access import SERVICE
from filing.models import Membership
from filing.people import memberships
ned = Membership.objects.get(user__username="ned")
memberships.end_right(ned, by=SERVICE, reason="Ned left the bank.")
print(Membership.objects.filter(user__username="ned").exists())
"""
ARRIVED = """
from filing.models import ResumableUpload
upload = ResumableUpload.objects.get(file_name="large.txt")
print(upload.offset == upload.length)
"""


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    """An institution of a filer of its own: other tests count the submissions of theirs."""
    lei = lei_of("upload")
    employ(site, lei, "uma")
    return lei


@pytest.fixture
def page(look: Look, lei: str) -> Page:
    """The page on which a file is uploaded."""
    page = look.sign_in("uma", f"/filing/{lei}/{YEAR}/")
    start(page)
    return page


@pytest.fixture
def line(site: Service, page: Page) -> Iterator[Between]:
    """What stands between the page and the service, and can be cut."""
    between = Between()
    page.goto(between(page.url, Path()))
    yield between
    page.goto("about:blank")  # what the page still loads is not lost with the line
    between.close()


def slow_down(page: Page) -> None:
    """Let what is sent take its time."""
    session = page.context.new_cdp_session(page)
    speeds = {"downloadThroughput": -1, "uploadThroughput": 400_000}
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, **speeds})


def checked(page: Page) -> None:
    """Wait until the file is checked."""
    expect(page).to_have_title(re.compile("^(Certify|Ready|Edits)"))


def send(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^Upload( again)?$"))


def checks(page: Page) -> Locator:
    return page.locator("#file-checks")


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_button_is_in_sight_without_scrolling(page: Page, size: tuple[int, int]):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    expect(send(page)).to_be_in_viewport(ratio=1)
    expect(page.locator("details", has_text="What the file must be")).not_to_have_attribute(
        "open", re.compile("")
    )
    step = page.locator(".site-steps [aria-current=step]")
    expect(step).to_be_in_viewport(ratio=1)
    rows = page.locator(".site-steps").evaluate("each => each.offsetHeight")
    assert rows < (100 if size[0] > 1000 else 50), rows


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("lar.csv", b"1|x\n", 'The name "lar.csv" does not end in .txt'),
        ("lar.txt", b"", "The file is empty"),
        ("lar.txt", b"PK\x03\x04 xl/workbook", "The file is an Excel workbook."),
        ("lar.txt", "1|Bank".encode("utf-16"), "The file is text in UTF-16"),
        ("lar.txt", b"1|x\n2|\0", "Line 2 holds a NUL byte"),
    ],
)
def test_what_the_service_refuses_cannot_be_sent(
    look: Look, page: Page, name: str, content: bytes, fault: str
):
    page.locator("#file").set_input_files({"name": name, "mimeType": "", "buffer": content})
    expect(checks(page)).to_contain_text(fault)
    expect(send(page)).to_be_disabled()
    expect(page.get_by_role("button", name="Cancel")).not_to_be_visible()


def test_an_upload_continues_by_itself_after_a_lost_connection(
    look: Look,
    page: Page,
    line: Between,
    register: Callable[..., Path],
):
    page.locator("#file").set_input_files(register("lost", rows=10_000))
    expect(page.locator("#file-news")).to_have_text("The transmittal sheet fits this filing.")
    slow_down(page)
    send(page).click()
    expect(page.locator("#sent-text")).to_contain_text(re.compile(r"^[\d.]+ \w+ of [\d.]+ MB"))
    expect(page.locator("#sent-text")).to_contain_text(re.compile(r"\w+/s · \d+ (s|min) left$"))
    wide = page.locator("#sent").evaluate(
        "each => each.offsetWidth / each.closest('form').offsetWidth"
    )
    assert wide > 0.9
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    line.close()
    lost = r"The connection was lost after .* of .*\. The upload continues automatically\."
    expect(page.locator("#sent-text")).to_have_text(re.compile(lost))
    line.open()
    page.wait_for_url(re.compile(r"/\d+/$"))
    checked(page)
    look.complaints.clear()  # of the browser, that it was offline


def test_an_upload_continues_with_the_same_file_after_the_page_was_loaded_again(
    look: Look,
    page: Page,
    line: Between,
    register: Callable[..., Path],
):
    path = register("again", rows=10_000)
    size = path.stat().st_size
    page.on("dialog", lambda dialog: dialog.accept())  # that the upload stops
    page.locator("#file").set_input_files(path)
    slow_down(page)
    send(page).click()
    expect(page.locator("#sent-text")).to_contain_text(re.compile(r"^[1-9][\d.]* \w+ of "))
    page.reload()
    notice = page.locator("#open-upload")
    expect(notice).to_contain_text(re.compile(r"The upload of again.* stopped after"))
    offsets = []
    page.on(
        "request",
        lambda request: (
            offsets.append(int(request.headers["upload-offset"]))
            if request.method == "PATCH"
            else None
        ),
    )
    page.locator("#file").set_input_files(path)
    send(page).click()
    page.wait_for_url(re.compile(r"/\d+/$"))
    assert 0 < offsets[0] < size, offsets
    checked(page)
    look.complaints.clear()  # of the request that was broken off


def test_there_is_no_connection_at_the_beginning(
    look: Look, page: Page, line: Between, register: Callable[..., Path]
):
    page.locator("#file").set_input_files(register("away", rows=20))
    line.close()
    send(page).click()
    problem = page.locator("#problem")
    expect(problem).to_contain_text("There is no connection to the service.")
    line.open()
    send(page).click()
    page.wait_for_url(re.compile(r"/\d+/$"))
    checked(page)
    look.complaints.clear()  # of the browser, that it was offline


def test_an_upload_is_canceled(
    look: Look,
    page: Page,
    register: Callable[..., Path],
):
    page.locator("#file").set_input_files(register("lost", rows=10_000))
    slow_down(page)
    send(page).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#sent-text")).to_have_text("The upload was canceled. Nothing was filed.")
    expect(send(page)).to_be_enabled()
    look.complaints.clear()


def test_a_file_that_someone_else_uploaded_is_said(
    look: Look,
    page: Page,
    register: Callable[..., Path],
):
    path = register("twice", rows=20)
    page.locator("#file").set_input_files(path)
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#file").set_input_files(path)
    send(other).click()
    other.wait_for_url(re.compile(r"/\d+/$"))
    send(page).click()
    problem = page.locator("#problem")
    expect(problem).to_contain_text("Someone else may have uploaded a file meanwhile.")
    look.complaints.clear()  # of the 409
    problem.get_by_role("link", name=re.compile("Open the")).click()
    page.wait_for_url(re.compile(rf"/{YEAR}/(\d+/)?$"))
    expect(page.locator("main")).to_contain_text("twice.txt")


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (413, "The file is larger than"),
        (409, "Someone else may have uploaded a file meanwhile."),
        (500, "The service answered 500. Nothing was filed."),
        (403, "This page is out of date."),
    ],
)
def test_each_refusal_is_a_sentence(
    look: Look,
    page: Page,
    register: Callable[..., Path],
    status: int,
    sentence: str,
):
    page.locator("#file").set_input_files(register("refused", rows=20))
    page.route(
        re.compile(r"/uploads/(\?|$)"),
        lambda route: (
            route.fulfill(status=status, body="")
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    send(page).click()
    expect(page.locator("#problem")).to_contain_text(sentence)
    expect(send(page)).to_have_text("Upload again")
    look.complaints.clear()  # of the answer


def test_a_check_that_waits_is_followed_and_an_email_asked_for(
    site: Service,
    look: Look,
    page: Page,
    register: Callable[..., Path],
):
    page.locator("#file").set_input_files(register("followed"))
    with paused(site, " worker "):
        send(page).click()
        page.wait_for_url(re.compile(r"/\d+/$"))
        expect(page.locator("#stage")).to_have_text(re.compile("queue|Reading|Running"))
        page.get_by_role("button", name="Email me when checking finishes").click()
        expect(page.locator("main")).to_contain_text("We will email you at uma@bank0.example")
    expect(page).to_have_title(re.compile("^(Certify|Ready|Edits)"))


@pytest.mark.parametrize("way", ["events", "time"])
def test_the_page_follows_checking_by_events_and_without_them_by_time(
    look: Look, page: Page, site: Service, register: Callable[..., Path], way: str
):
    if way == "events":
        page.clock.install()
    else:
        page.route("**/events/", lambda route: route.abort())
    page.locator("#file").set_input_files(register(f"by-{way}"))
    with paused(site, " worker "):
        send(page).click()
        page.wait_for_url(re.compile(r"/\d+/$"))
        expect(page.locator("#stage")).to_have_text(re.compile("queue|Reading|Running"))
        if way == "events":
            page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
    if way == "events":
        # Less than two seconds in all, after which the page would refresh anyway.
        for _ in range(90):
            page.clock.run_for(20)
            page.wait_for_timeout(200)
            if not page.locator("#stage").count():
                break
    expect(page).to_have_title(re.compile("^(Certify|Ready|Edits)"))
    look.complaints.clear()  # of the browser, about the events it did not get


def test_who_is_ended_in_the_middle_of_an_upload_sends_nothing_more(
    site: Service, look: Look, lei: str, register: Callable[..., Path]
):
    employ(site, lei, "ned")
    page = look.sign_in("ned", f"/filing/{lei}/{YEAR}/", anew=True)
    start(page)
    page.locator("#file").set_input_files(register("large", rows=300))
    held: list[Route] = []  # what the browser sends of the file, once the upload has begun
    page.route(
        re.compile(r"/uploads/[0-9a-f]{32}/?$"),
        lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_(),
    )
    with page.expect_request(lambda each: each.method == "PATCH"):
        send(page).click()
    assert site.shell(END_NED) == "False"
    page.wait_for_timeout(100)  # in which the route of the request comes
    for route in held:
        route.continue_()
    expect(page.locator("#problem")).to_contain_text("You are signed out")
    look.complaints.clear()  # of the refused part
    assert site.shell(ARRIVED) == "False"

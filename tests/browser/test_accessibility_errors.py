"""A form that comes back: its summary takes the focus, and leads to each field that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look

pytestmark = pytest.mark.slow

LOGIN, DIGITS, SPREAD = reverse("identity:login"), reverse("check-digit"), reverse("rate-spread")
WITHOUT_CHECKS = "for (const form of document.forms) form.noValidate = true"
SUMMARY = ".site-errors"
ERROR_TITLE = re.compile("^Error: (?!.*Error:)")

# The links of a summary that lead nowhere, or to a field that does not say that it is wrong, and by
# what. A group of inputs says so itself.
MARKED = """() => [...document.querySelectorAll(".site-errors a[href^='#']")].filter((link) => {
  const field = document.getElementById(link.hash.slice(1));
  if (field?.getAttribute("aria-invalid") !== "true") return true;
  const described = field.getAttribute("aria-describedby")
    ?? field.closest("fieldset")?.getAttribute("aria-describedby") ?? "";
  return !described.split(" ").some((id) => id.endsWith("error") && document.getElementById(id));
}).map((link) => link.href)"""


# All fields of a page without what they had.
EMPTIED = """() => {
  for (const field of document.querySelectorAll("#content input, #content textarea")) {
    if (field.type === "checkbox") field.checked = false;
    else if (!["radio", "hidden", "submit"].includes(field.type)) field.value = "";
  }
}"""


def send(page: Page, button: str) -> None:
    page.evaluate(WITHOUT_CHECKS)
    page.locator("main").get_by_role("button", name=button, exact=True).first.click()


def summary_leads_to_its_fields(look: Look) -> None:
    """Fail unless the summary has the focus and each of its links gives it to a marked field."""
    page = look.page
    summary = page.locator(SUMMARY)
    expect(summary).to_be_focused()
    expect(page).to_have_title(ERROR_TITLE)
    number = summary.locator("li").count()
    heading = "There is a problem" if number == 1 else f"There are {number} problems"
    expect(summary.get_by_role("heading")).to_have_text(heading)
    assert not page.evaluate(MARKED)
    links = summary.locator("a[href^='#']")
    for link in links.all():
        target = str(link.get_attribute("href")).removeprefix("#")
        link.focus()
        page.keyboard.press("Enter")
        assert page.evaluate(
            "id => document.getElementById(id).parentElement.contains(document.activeElement)",
            target,
        ), target


FORMS: dict[str, tuple[str, dict[str, str], str]] = {
    "sign up": (reverse("sign-up"), {"email": "eve"}, "Create account"),
    "forgotten": (reverse("forgotten"), {"email": "eve"}, "Send link"),
    "check a line": (reverse("check-line"), {}, "Check lines"),
    "check digit": (DIGITS, {"identifier": "A1"}, "Generate check digits"),
    "rate spread": (SPREAD, {"apr": "x"}, "Compute rate spread"),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_wrong_takes_the_focus(tab: Look, name: str):
    path, values, button = FORMS[name]
    page = tab.at(path)
    for field, value in values.items():
        page.fill(f"main [name={field}]", value)
    send(page, button)
    page.locator(SUMMARY).wait_for()
    if name == "check digit":  # its answer arrives in the page, and the form stays as it is
        expect(page.locator(SUMMARY)).to_be_focused()
        expect(page.get_by_label("Loan identifier or ULI")).to_have_attribute(
            "aria-invalid", "true"
        )
        page.fill("[name=identifier]", "10Bx939c5543TqA1144M999143X")
        send(page, button)
        page.get_by_role("heading", name="The check digits are 38").wait_for()
        expect(page).not_to_have_title(re.compile("^Error"))  # changes after the answer is in
        expect(page.locator("[aria-invalid]")).to_have_count(0)
        return
    summary_leads_to_its_fields(tab)


def test_filters_that_do_not_fit_take_the_focus(look: Look):
    look.at(f"{reverse('edit-book')}?quarter=Q1", 400)
    summary_leads_to_its_fields(look)


def test_a_wrong_password_takes_the_focus(look: Look):
    page = look.at(LOGIN)
    page.fill("[name=username]", "root")
    page.fill("[name=password]", "wrong")
    send(page, "Sign in")
    expect(page.locator(SUMMARY)).to_be_focused()
    expect(page).to_have_title(re.compile("^Error: Sign in"))


@pytest.mark.parametrize(
    ("path", "button"),
    [
        (DIGITS, "Generate for the file"),
        (SPREAD, "Compute for all lines"),
        (reverse("check-file"), "Check file"),
    ],
)
def test_a_file_that_cannot_be_taken_takes_the_focus(
    look: Look, tmp_path: Path, path: str, button: str
):
    (tmp_path / "x.txt").write_text("1|Bank", encoding="utf-16")
    page = look.at(path)
    page.locator("#file").set_input_files(tmp_path / "x.txt")
    page.get_by_role("button", name=button).click()
    expect(page.locator(SUMMARY)).to_be_focused()
    expect(page).to_have_title(ERROR_TITLE)
    expect(page.locator("#file")).to_have_attribute("aria-invalid", "true")
    page.locator(SUMMARY).get_by_role("link").click()
    expect(page.locator("#file")).to_be_focused()


def test_choices_that_cannot_be_answered_take_the_focus(look: Look):
    page = look.at("/data/browser/?years=2022&races=Klingon", 400)
    expect(page.locator(SUMMARY)).to_be_focused()
    expect(page).to_have_title(ERROR_TITLE)
    page.locator(SUMMARY).get_by_role("link").click()
    expect(page.locator("#explorer")).to_be_focused()


def test_without_script_the_browser_gives_the_focus(without_script: Look):
    page = without_script.at(reverse("forgotten"))
    page.get_by_role("button", name="Send link").click()
    expect(page).to_have_title(ERROR_TITLE)
    expect(page.locator(f"{SUMMARY}:focus")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#id_email:focus")).to_be_visible()


def test_the_profile_says_what_is_wrong(look: Look):
    page = look.sign_in("ann", reverse("profile"))
    send(page, "Create a token")
    summary_leads_to_its_fields(look)


ADMIN_FORMS: dict[str, tuple[str, str]] = {
    "institution": ("filing_institution_add", "Save"),
    "announcement": ("filing_announcement_add", "Save"),
    "membership": ("filing_membership_add", "Save"),
    "user": ("auth_user_add", "Save"),
    "password": ("password_change", "Change my password"),
    "panel": ("filing_institution_import", "Preview"),
    "reference data": ("filing_referencedata_load", "Preview"),
    "rates": ("ratespread_aporload_add", "Preview"),
    "build": ("databrowser_version_build?year=2022&dataset=snapshot", "Build the data set"),
    "graphs": ("graphs_computation_add", "Compute the graphs"),
    "season": ("filing_seasonopening_open", "Preview"),
}


@pytest.mark.parametrize("name", ADMIN_FORMS)
def test_what_is_wrong_in_the_admin_takes_the_focus(tab: Look, name: str):
    address, button = ADMIN_FORMS[name]
    place, _, query = address.partition("?")
    tab.begin_session("root")
    page = tab.at(f"{reverse(f'admin:{place}')}?{query}")
    page.evaluate(EMPTIED)
    send(page, button)
    page.locator(SUMMARY).wait_for()
    summary_leads_to_its_fields(tab)

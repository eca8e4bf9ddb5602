"""Am I covered? from the questions to an answer that is printed and sent on."""

from __future__ import annotations

from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look


def fill_in(page: Page) -> None:
    """Answer for a small bank, by keyboard from the first question to the button."""
    page.get_by_label("Data year").select_option("2025")
    page.get_by_label("Data year").focus()
    for keys in (
        ("Tab", " "),  # a bank
        ("Tab", "900,000,000"),
        ("Tab", "y"),
        ("Tab", "y"),
        ("Tab", "y"),
        *(("Tab", number) for number in ("310", "300", "20", "30", "400")),
        ("Tab", "n"),
    ):
        page.keyboard.press(keys[0])
        page.keyboard.type(keys[1])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_the_questions_are_answered_by_keyboard_and_the_answer_is_sound(look: Look):
    page = look.at(reverse("am-i-covered"))
    fill_in(page)
    expect(page.locator("#closed-end")).to_contain_text("You must report them")
    expect(page.locator("#open-end")).to_contain_text("You need not report them")
    expect(page.locator("#partial-closed-end")).to_contain_text("You may use it")
    look.is_sound()
    look.fits()
    look.is_sound_in_the_dark()


def test_the_answer_prints_without_the_form_and_needs_no_script(without_script: Look):
    page = without_script.at(f"{reverse('am-i-covered')}?year=2025&kind=bank&assets=58000000")
    expect(page.locator("#closed-end")).to_contain_text("12 CFR 1003.2(g)(1)(i)")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="What you entered")).to_be_visible()
    expect(page.get_by_text("This is no legal advice.")).to_be_visible()
    expect(page.get_by_role("button", name="Show answer")).to_be_hidden()

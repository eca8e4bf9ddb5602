"""Am I covered? from the questions to an answer that is printed and sent on."""

from __future__ import annotations

from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import Look
from tests.browser.states_for_everyone import answer_by_keyboard


def test_the_questions_are_answered_by_keyboard(look: Look):
    page = look.at(reverse("am-i-covered"))
    answer_by_keyboard(page)
    expect(page.locator("#closed-end")).to_contain_text("You must report them")
    expect(page.locator("#open-end")).to_contain_text("You need not report them")
    expect(page.locator("#partial-closed-end")).to_contain_text("You may use it")


def test_the_answer_prints_without_the_form_and_needs_no_script(without_script: Look):
    page = without_script.at(f"{reverse('am-i-covered')}?year=2025&kind=bank&assets=58000000")
    expect(page.locator("#closed-end")).to_contain_text("12 CFR 1003.2(g)(1)(i)")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="What you entered")).to_be_visible()
    expect(page.get_by_text("This is no legal advice.")).to_be_visible()
    expect(page.get_by_role("button", name="Show answer")).to_be_hidden()

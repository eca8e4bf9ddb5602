"""Every page of the admin, as a superuser sees it."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.browser.conftest import Look
from tests.browser.staff_pages import staff_tab  # noqa: F401 -- a fixture

pytestmark = pytest.mark.slow

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.mark.parametrize("name", ["index", "password_change"])
def test_page_is_sound(staff_tab: Look, name):
    staff_tab.at(reverse(f"admin:{name}"))
    staff_tab.is_sound(after="load")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_pages_of_a_table_are_sound_and_break_no_lei(staff_tab: Look, model):
    look, place = staff_tab, f"admin:{model._meta.app_label}_{model._meta.model_name}"
    page = look.at(reverse(f"{place}_changelist"))
    look.is_sound(after="load")
    look.keeps_texts_whole()
    adding = page.locator(".object-tools .addlink").count()
    first = page.locator("#result_list tbody th a, #result_list tbody td a").first
    look.at(str(first.get_attribute("href", timeout=2000)))
    look.is_sound(after="load")
    look.keeps_texts_whole()
    page.locator(".historylink").click()
    look.is_sound(after="load")
    look.keeps_texts_whole()
    if adding:
        look.at(reverse(f"{place}_add"))
        look.is_sound(after="load")

"""Two people save the same form of the admin at the same moment: one is saved, one is told."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from filing.admin.guarded import OVERTAKEN, GuardedForm
from filing.models import Filing, TrailEntry
from tests.filing.admin.change_forms import fields_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]
# What each of the two enters in a field of a table.
ENTERED = {
    "institution": ("name", "Bank of One", "Bank of Two"),
    "period": ("closes", "2045-12-29", "2045-12-28"),
    "user": ("first_name", "Anna", "Anne"),
}
BETWEEN_SECONDS = 0.5  # from the comparison to the saving, so that the other would come between


@pytest.fixture
def rows(filing: Filing) -> dict[str, Model]:
    user = User.objects.create(username="ann", email="ann@bank.example")
    return {"institution": filing.institution, "period": filing.period, "user": user}


@pytest.mark.parametrize("table", ENTERED)
def test_of_two_who_save_at_once_one_is_saved_and_one_sees_both_values(
    table: str, rows: dict[str, Model], admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, (name, *values) = rows[table], ENTERED[table]
    page = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    browsers = [Client(), Client()]
    forms = []
    for browser, value in zip(browsers, values, strict=True):
        browser.force_login(admin_user)
        forms.append(fields_of(browser, page) | {name: value, "reason": f"It is {value}."})
    assert forms[0]["loaded"]
    compare, start = GuardedForm._refuse_overwriting, Barrier(2)

    def compare_and_wait(form: GuardedForm) -> None:
        compare(form)
        time.sleep(BETWEEN_SECONDS)

    monkeypatch.setattr(GuardedForm, "_refuse_overwriting", compare_and_wait)

    def save(number: int) -> Any:
        try:
            start.wait()
            return browsers[number].post(page, forms[number])
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(save, range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 302]
    [winner] = [number for number, answer in enumerate(answers) if answer.status_code == 302]
    form = answers[1 - winner].context["adminform"].form
    assert form.has_error("__all__", OVERTAKEN)
    [conflict] = form.conflicts
    assert conflict.theirs != conflict.yours
    row.refresh_from_db()
    assert str(getattr(row, name)) == values[winner]
    reasons = TrailEntry.objects.filter(reason__contains="It is ").values_list("reason", flat=True)
    assert [values[winner] in reason for reason in reasons] == [True]

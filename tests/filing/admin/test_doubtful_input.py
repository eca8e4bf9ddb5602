"""What no page of the admin sends: keys that are no keys, and dates that no calendar has."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db

NO_KEYS = (" ", "x", "-1", "1.5", "99999999999999999999", "1e309", "\0", "²")
NO_DATES = (
    ("year", "9999"),
    ("year", "99999999999999999999"),
    ("year", "0"),
    ("year", "-1"),
    ("year", "x"),
    ("year", ""),
    ("month", "13"),
    ("month", "99999999999999999999"),
    ("day", "31"),
    ("day", "x"),
)
# PostgreSQL takes neither, and SQLite does.
ON_SERVERS = {("99999999999999999999",), ("\0",), ("year", "9999"), ("year", "0")}
FORMS = (("membership", ("user",)), ("filing", ("institution", "period")))


def as_case(*values: str) -> Any:
    return pytest.param(*values, marks=pytest.mark.servers if values in ON_SERVERS else ())


@pytest.mark.parametrize("key", [as_case(key) for key in NO_KEYS])
@pytest.mark.parametrize(("table", "names"), FORMS)
def test_a_choice_that_is_no_key_is_refused_at_its_field(
    admin_client: Client, table: str, names: tuple[str, ...], key: str
) -> None:
    page = admin_client.post(reverse(f"admin:filing_{table}_add"), dict.fromkeys(names, key))
    assert page.status_code == 200
    assert set(names) <= set(page.context["adminform"].form.errors)


@pytest.mark.parametrize(("part", "value"), [as_case(*date) for date in NO_DATES])
def test_a_list_by_date_takes_no_date_that_does_not_exist(
    admin_client: Client, part: str, value: str
) -> None:
    reverse("admin:index")  # with it all tables are registered
    by_date = [(model._meta, page.date_hierarchy) for model, page in admin.site._registry.items()]
    lists = [(table, field) for table, field in by_date if field]
    assert len(lists) > 5
    first = NO_DATES.index((part, value)) % 4
    for table, field in lists[first::4]:  # the lists share the code that reads a date
        parts = {"year": "2024", "month": "2", "day": "1", part: value}
        asked = {f"{field}__{name}": text for name, text in parts.items()}
        address = reverse(f"admin:{table.app_label}_{table.model_name}_changelist")
        assert admin_client.get(address, asked, follow=True).status_code == 200, address
        alone = {f"{field}__{part}": value}
        assert admin_client.get(address, alone, follow=True).status_code == 200, address

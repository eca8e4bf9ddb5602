"""Every table that staff change: nothing is overwritten unseen, each change has a reason.

The registry of the admin is walked, so a new table without this fails here.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse
from oauth2_provider.models import Application

from databrowser.models import Change, FreezeDay
from filing.access import SERVICE
from filing.admin.forms import REASON_MISSING
from filing.admin.guarded import OVERTAKEN, GuardedAdmin
from filing.models import (
    Announcement,
    AuditEvent,
    ColumnHeading,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    ListSchedule,
    Organization,
    Submission,
    TrailEntry,
)
from filing.periods import legal_holds
from tests.conftest import LEI
from tests.filing.admin.change_forms import fields_of
from tests.filing.admin.previewing import confirm

pytestmark = pytest.mark.django_db
WHY = "They asked for it."
# Of each table that staff change: a field of its form, and another value than its row has.
CHANGES: dict[type[Model], dict[str, Any]] = {
    Announcement: {"text": "The help desk is closed on Monday."},
    Change: {"title": "A newer guide"},
    ColumnHeading: {"heading": "Our note rate"},
    FreezeDay: {"frozen_on": "2031-05-19"},
    ListSchedule: {"hour": 7},
    Organization: {"name": "New Vendor"},
    FilingPeriod: {"closes": "2045-12-29"},
    FilingYear: {"asset_threshold": 61_000_000},
    Filing: {"required": ""},
    Institution: {"name": "New Bank"},
    User: {"first_name": "Anna"},
    Group: {"name": "auditors"},
    Application: {"name": "New client"},
}
# By the function that changes it.
RECORDED = {
    FilingPeriod: AuditEvent.WINDOW_CHANGED,
    FilingYear: AuditEvent.YEAR_CHANGED,
    Organization: AuditEvent.ORGANIZATION_RENAMED,
}


def tables(right: str) -> dict[type[Model], admin.ModelAdmin]:
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    return {
        model: table
        for model, table in admin.site._registry.items()
        if getattr(table, f"has_{right}_permission")(request)
    }


@pytest.fixture
def rows(filing: Filing) -> dict[type[Model], Model]:
    return {
        Announcement: Announcement.objects.create(
            text="The help desk is closed.", begins=datetime(2026, 1, 1, tzinfo=UTC)
        ),
        Change: Change.objects.create(
            date=date(2026, 6, 23), type="update", product="tools", title="A guide", slug="guide"
        ),
        ColumnHeading: ColumnHeading.objects.create(
            heading="Our rate", field="interest_rate", source="Us"
        ),
        ListSchedule: ListSchedule.objects.create(kind="panel"),
        Organization: Organization.objects.create(name="Vendor", code="ORG-7K2M9Q", made_by="vera"),
        FreezeDay: FreezeDay.objects.create(
            year=2024, dataset="snapshot", frozen_on=date(2031, 6, 2)
        ),
        FilingPeriod: filing.period,
        FilingYear: FilingYear.objects.get(pk=2024),
        Filing: filing,
        Institution: filing.institution,
        User: User.objects.create(username="ann", email="ann@bank.example"),
        Group: Group.objects.create(name="readers"),
        Application: Application.objects.create(
            client_id="c",
            name="A client",
            client_type="public",
            authorization_grant_type="authorization-code",
            redirect_uris="https://tool.example/",
            algorithm="RS256",
        ),
    }


def page_of(row: Model, page: str = "change") -> str:
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=[row.pk])


def entries(row: Model) -> list[TrailEntry]:
    event = RECORDED.get(type(row), "changed by staff")
    return list(TrailEntry.objects.filter(event=event))


def test_every_table_that_staff_change_is_guarded_and_tried_here() -> None:
    changed = tables("change")
    assert set(changed) == set(CHANGES)
    assert all(isinstance(table, GuardedAdmin) for table in changed.values())
    for table in admin.site._registry.values():
        assert not table.list_editable
        assert "delete_selected" not in table.get_actions(_superuser())
        for inline in table.inlines:
            assert not inline(type(table), admin.site).has_change_permission(_superuser())


def _superuser() -> Any:
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    return request


@pytest.mark.parametrize("model", CHANGES)
def test_a_change_has_a_reason_and_one_entry_and_overwrites_nothing_unseen(
    model: type[Model], admin_client: Client, rows: dict[type[Model], Model]
) -> None:
    row, [(name, value)] = rows[model], CHANGES[model].items()
    opened = fields_of(admin_client, page_of(row))
    refused = admin_client.post(page_of(row), opened | {name: value, "reason": " "})
    assert refused.context["adminform"].form.errors == {"reason": [REASON_MISSING]}
    assert not entries(row)
    changed = admin_client.post(page_of(row), opened | {name: value, "reason": WHY})
    assert changed.status_code == 302
    [entry] = entries(row)
    assert WHY in entry.reason
    assert " → " in entry.reason or " to " in entry.reason
    assert entry.actor_username == "admin"
    history = admin_client.get(page_of(row, "history")).content.decode()
    assert "→" in history or model is Institution
    saved = model._default_manager.values().get(pk=row.pk)
    # Someone else has loaded the page before.
    again = admin_client.post(page_of(row), opened | {"reason": "Another change."})
    form = again.context["adminform"].form
    assert form.has_error("__all__", OVERTAKEN)
    assert len(form.conflicts) == 1, form.conflicts
    [conflict] = form.conflicts
    assert conflict.theirs != conflict.yours
    assert conflict.who.startswith("admin")
    assert conflict.at
    page = again.content.decode()
    assert conflict.label in page
    assert model._default_manager.values().get(pk=row.pk) == saved
    assert len(entries(row)) == 1
    # Who has seen both may decide.
    decided = fields_of(again) | {"reason": "We agreed on it."}
    assert admin_client.post(page_of(row), decided).status_code == 302
    assert model._default_manager.values().get(pk=row.pk) != saved


def test_a_form_that_does_not_say_what_it_loaded_saves_nothing(
    admin_client: Client, rows: dict[type[Model], Model]
) -> None:
    other = Institution.objects.create(activity_year=2023, lei=LEI, name="Test Bank", agency=9)
    foreign = fields_of(admin_client, page_of(other))["loaded"]
    for loaded in ("forged", None):
        row = rows[Institution]
        sent = fields_of(admin_client, page_of(row)) | {"name": "New Bank", "reason": WHY}
        sent["loaded"] = foreign if loaded is None else loaded
        answer = admin_client.post(page_of(row), sent)
        assert answer.context["adminform"].form.has_error("__all__", OVERTAKEN)
        assert Institution.objects.get(pk=row.pk).name == "Test Bank"


def test_other_fields_that_both_left_alone_stop_no_one(
    admin_client: Client, rows: dict[type[Model], Model]
) -> None:
    row = rows[Institution]
    sent = fields_of(admin_client, page_of(row)) | {"name": "New Bank", "reason": WHY}
    assert admin_client.post(page_of(row), sent).status_code == 302
    assert admin_client.post(page_of(row), sent).status_code == 302  # a second click
    Institution.objects.filter(pk=row.pk).update(hmda_filer=True)  # a signature
    again = fields_of(admin_client, page_of(row)) | {"city": "Springfield", "reason": WHY}
    assert admin_client.post(page_of(row), again).status_code == 302


@pytest.mark.parametrize(
    "model",
    [model for model in CHANGES if model not in {Change, User, Filing, FilingYear, Organization}],
)
def test_a_deletion_has_a_reason_and_an_entry(
    model: type[Model], admin_client: Client, rows: dict[type[Model], Model]
) -> None:
    Filing.objects.all().delete()
    row = rows[model]
    admin_client.post(page_of(row, "delete"), {"post": "yes"})
    assert model._default_manager.filter(pk=row.pk).exists()
    confirm(admin_client, admin_client.get(page_of(row, "delete")), reason=WHY)
    assert not model._default_manager.filter(pk=row.pk).exists()
    entry = TrailEntry.objects.get(event="deleted by staff")
    assert WHY in entry.reason
    assert str(row) in entry.about


def test_under_a_hold_an_institution_is_not_deleted(
    admin_client: Client, rows: dict[type[Model], Model]
) -> None:
    Submission.objects.all().delete()
    Filing.objects.all().delete()
    row = rows[Institution]
    legal_holds.hold_institution(row, by=SERVICE, reason="Matter 12")
    for answer in (
        admin_client.get(page_of(row, "delete")),
        admin_client.post(page_of(row, "delete"), {"post": "yes", "reason": WHY}),
    ):
        assert answer.status_code == 302
    assert Institution.objects.filter(pk=row.pk).exists()


def test_no_secret_is_in_an_entry(admin_client: Client, rows: dict[type[Model], Model]) -> None:
    row = rows[Application]
    sent = fields_of(admin_client, page_of(row)) | {"client_secret": "a new secret"}
    assert admin_client.post(page_of(row), sent | {"reason": WHY}).status_code == 302
    [entry] = entries(row)
    assert "secret" in entry.reason.lower()
    assert "a new secret" not in entry.reason

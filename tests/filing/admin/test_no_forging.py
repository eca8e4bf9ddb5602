"""What a signed submission says cannot be changed by staff, by whatever address they come.

Every address of the admin and of the API is sent every method, with whatever might be taken for a
change: the fields of a form with a button, inline rows, an action of a list. Then the database is
as it was, row by row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from filing.models import (
    Attempt,
    EditResult,
    Filing,
    Job,
    Mail,
    Note,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.statuses import Status
from tests.addresses import METHODS, ROUTES, browsers, of_api, table_of  # noqa: F401 -- a fixture
from tests.filing.people.members import RIGHTS, one_of_each  # noqa: F401 -- a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FILED = (Submission, Filing, Signature, StatusChange, EditResult, Job, Mail, Attempt)
# What may be added to, as by a note or a refusal that is recorded, but never changed.
ADDED_TO = (Note, TrailEntry)
# What staff may begin for themselves.
OWN_WORK = ("export",)
# What operators may begin, and begin again when it has failed.
OPERATORS_WORK = {"disclose", "publish", "graphs"}
FORGED = "forged"
SIGNED_BUT_ACTIONS = ("admin:filing_submission_send_receipt_again",)


@pytest.fixture
def signed(one_of_each: Any) -> dict[type[Model], Any]:
    """One of each table, around a submission that is signed."""
    Submission.objects.update(status=Status.SIGNED, raw_file="raw", sha256="a" * 64)
    Filing.objects.update(status=3, completed_at=timezone.now())
    Job.objects.filter(stage="mail").update(state="done")
    job = Job.objects.get(stage="parse")
    Attempt.objects.create(job=job, number=1, outcome="done")
    Mail.objects.update(sent_at=timezone.now())
    return dict(one_of_each)


def rows(tables: tuple[type[Model], ...]) -> dict[str, list[dict[str, Any]]]:
    return {
        table.__name__: list(table._default_manager.order_by("pk").values()) for table in tables
    }


def forms(name: str, model: type[Model] | None, key: int) -> Iterator[dict[str, Any]]:
    """Yield what a form might send to change an object, or a list to act on it."""
    buttons = {"_save": "Save", "post": "yes"}
    said = {"reason": FORGED, "text": FORGED, "chosen": json.dumps({key: ""})}
    if model is None:
        yield {**buttons, **said, "signed": "true", "verified": "true"}
        return
    fields = _forged(model, key)
    inlines = [inline.model for inline in getattr(site._registry.get(model), "inlines", [])]
    whole = {**said, **fields, **_inline_rows(model, inlines)}
    yield {**buttons, **whole}
    yield {"_saveasnew": "1", **whole}
    if not name.endswith("_changelist"):
        return
    for action in ("delete_selected", "retry", "stop", "run_edits_again", "cancel", "reinstate"):
        yield {"action": action, "_selected_action": [key], "index": "0", **said, **buttons}
    # As a list with fields to edit sends them.
    yield {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-id": key,
        **{f"form-0-{name}": value for name, value in fields.items()},
        "_save": "Save",
    }


def _forged(model: type[Model], key: int | None) -> dict[str, Any]:
    """Return what a form would send to change an object: valid, and different."""
    there = model._default_manager.filter(pk=key).values().first() or {}
    sent: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        now = there.get(field.attname)
        if field.primary_key:
            continue
        if field.get_internal_type() == "DateTimeField":
            sent |= {f"{field.name}_0": "2020-01-01", f"{field.name}_1": "00:00:00"}
            sent[field.name] = "2020-01-01 00:00:00"
        elif field.choices:
            sent[field.name] = next(value for value, _ in field.flatchoices if value != now)
        elif field.get_internal_type() == "EmailField":
            sent[field.name] = "forger@x.example"
        elif field.get_internal_type() in {"CharField", "TextField"}:
            sent[field.name] = FORGED
        elif field.get_internal_type() == "JSONField":
            sent[field.name] = "{}"
        else:
            sent[field.name] = 1 if now is None else now
    return sent


def _inline_rows(model: type[Model], inlines: list[type[Model]]) -> dict[str, Any]:
    sent: dict[str, Any] = {}
    for inline in inlines:
        row = inline._default_manager.order_by("pk").first()
        for prefix in {_related_name(model, inline), f"{inline._meta.model_name}_set"}:
            sent |= {
                f"{prefix}-TOTAL_FORMS": "2",
                f"{prefix}-INITIAL_FORMS": "1" if row else "0",
                f"{prefix}-MIN_NUM_FORMS": "0",
                f"{prefix}-MAX_NUM_FORMS": "1000",
            }
            for number in (0, 1):
                values = _forged(inline, row.pk if row else None)
                values["id"] = row.pk if row and number == 0 else ""
                sent |= {f"{prefix}-{number}-{name}": value for name, value in values.items()}
            sent[f"{prefix}-0-DELETE"] = "on"
    return sent


def _related_name(model: type[Model], inline: type[Model]) -> str:
    for field in inline._meta.concrete_fields:
        if field.related_model is model:
            return str(field.remote_field.get_accessor_name() or "")
    return "none"


def ask_everything(browsers: Any, caller: str, made: dict[type[Model], Any], leave: Any) -> int:
    """Send all methods with all forms to all addresses but some; returns how many requests."""
    browser, program = browsers[caller]
    asked = 0
    for name, address in ROUTES.items():
        of_admin = name.startswith("admin:")
        if leave(name) or not (of_admin or of_api(name)):
            continue
        model = table_of(name)
        key = made[model].pk if model else Submission.objects.get().pk
        client: Client = browser if of_admin else program
        path = address.format(key=key)
        for form in forms(name, model, key):
            assert _ended(client.post(path, form)).status_code < 500, (name, form)
            asked += 1
        for method in METHODS if model in FILED or not of_admin else ():
            body = json.dumps({"signed": True, "verified": True, "status": 14})
            answer = client.generic(method, path, body, content_type="application/json")
            assert _ended(answer).status_code < 500, (method, name)
            asked += 1
    return asked


def _ended(answer: Any) -> Any:
    """Take an answer to its end, which closes the files that it sends."""
    if answer.streaming:
        b"".join(answer)
    return answer


def unchanged(before: dict[str, Any], added_to: dict[str, Any]) -> None:
    Job.objects.filter(stage__in=OWN_WORK).exclude(
        pk__in=[row["id"] for row in before["Job"]]
    ).delete()
    assert rows(FILED) == before
    for table, was in rows(ADDED_TO).items():
        assert was[: len(added_to[table])] == added_to[table]


def is_left_out(name: str) -> bool:
    """Tell whether an address signs in or out, or sends the email that staff have written."""
    is_answer = name == "admin:filing_case_answer"
    return is_answer or "login" in name or "logout" in name or "password" in name


def test_the_help_desk_changes_no_submission_by_any_address(browsers, signed):
    before, added_to = rows(FILED), rows(ADDED_TO)

    def leave(name: str) -> bool:
        return is_left_out(name) or name in SIGNED_BUT_ACTIONS

    assert ask_everything(browsers, "help desk", signed, leave) > 300
    unchanged(before, added_to)
    # What it may do to a signed submission is to have its receipt mailed again.
    assert not TrailEntry.objects.filter(event="receipt sent again").exists()


@pytest.mark.parametrize("caller", ["operator", "administrator"])
def test_nobody_who_operates_forges_what_was_filed(browsers, signed, caller):
    before, added_to = rows(FILED), rows(ADDED_TO)

    def leave(name: str) -> bool:
        return is_left_out(name)

    assert ask_everything(browsers, caller, signed, leave) > 300
    # Those whom operators change rights, proposals and institutions of are told.
    told = Mail.objects.filter(submission=None).exclude(
        pk__in=[row["id"] for row in before["Mail"]]
    )
    jobs = list(told.values_list("job", flat=True))
    told.delete()
    Job.objects.filter(pk__in=jobs).delete()
    for row in before["Filing"]:
        row["required"] = Filing.objects.get(pk=row["id"]).required  # operators keep that
    filed = [row for row in before["Job"] if row["stage"] not in OPERATORS_WORK]
    before["Job"] = rows((Job,))["Job"]
    work = {*OPERATORS_WORK, *OWN_WORK}
    assert [row for row in before["Job"] if row["stage"] not in work] == filed
    unchanged(before, added_to)


def test_an_unsigned_submission_is_not_the_help_desks_to_change_either(browsers, signed):
    for status in (Status.VERIFIED, Status.FAILED, Status.UPLOADED):
        Submission.objects.update(status=status)
        before, added_to = rows(FILED), rows(ADDED_TO)

        def leave(name: str) -> bool:
            return is_left_out(name) or not ("submission" in name or of_api(name))

        assert ask_everything(browsers, "help desk", signed, leave) > 30
        unchanged(before, added_to)


def test_all_tables_of_the_admin_are_tried():
    tried = {table_of(name) for name in ROUTES if name.startswith("admin:")}
    assert tried >= set(RIGHTS)
    assert {Submission, Filing, Signature, StatusChange, EditResult, Job, Mail} <= tried
    assert User in tried

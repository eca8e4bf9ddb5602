"""A panel is looked at before it is imported: each bad row with its reasons, and no row before."""

from __future__ import annotations

import html
import os
from typing import Any

import pytest
from auditlog.models import LogEntry
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from filing import storage
from filing.models import AuditEvent, Institution, PanelImport, TrailEntry
from filing.panel import panel_imports
from filing.panel.columns import PANEL_COLUMNS
from filing.previews import PreviewChanged
from tests.filing.admin.unmarked import unmarked
from tests.filing.panel.bad_panel import (
    ANYWHERE,
    FIRST_LEI,
    GOOD,
    IN_CSV,
    IN_WORKBOOKS,
    LAST_LEI,
    Bad,
    as_csv,
    as_xlsx,
    lines,
)

pytestmark = pytest.mark.django_db
UPLOAD = reverse("admin:filing_institution_import")
CONFIRM = reverse("admin:filing_institution_process_import")
WHY = "The panel of the bureau of 3 March."


@pytest.fixture(autouse=True)
def real_leis(settings: Any) -> None:
    settings.TEST_LEIS = False


def upload(operator: Client, content: bytes, name: str = "panel.csv") -> Any:
    return operator.post(UPLOAD, {"file": SimpleUploadedFile(name, content)})


def confirm(operator: Client, preview: Any, reason: str = WHY) -> Any:
    ticket = preview.context["form"]["ticket"].value()
    sent = {"ticket": ticket, "reason": reason, "digest": preview.context["digest"]}
    return operator.post(CONFIRM, sent, follow=True)


def kept_files() -> list[str]:
    try:
        return default_storage.listdir(panel_imports.PREVIEW_FOLDER)[1]
    except FileNotFoundError:
        return []


def told(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


@pytest.mark.parametrize(
    ("name", "write", "rows"),
    [
        ("panel.csv", as_csv, [*ANYWHERE, *IN_CSV]),
        ("panel.xlsx", as_xlsx, [*ANYWHERE, *IN_WORKBOOKS]),
    ],
    ids=["csv", "xlsx"],
)
def test_each_bad_row_is_named_and_only_good_rows_are_imported_once_confirmed(
    operator: Client, name: str, write: Any, rows: list[Bad]
) -> None:
    assert len(ANYWHERE) >= 40
    before = len(kept_files())
    preview = upload(operator, write(lines(rows)), name)
    page = unmarked(preview.content.decode())
    wanted, number = [], 3
    for row in rows:
        wanted.append([number, list(row.reasons)])
        # In a CSV a row with a line break in it takes two lines.
        number += 2 if name.endswith("csv") and "\n" in str(row.changes.get("name")) else 1
    assert preview.context["rows"]["skipped"] == wanted
    for row, reasons in wanted:
        assert f'<th scope="row">{row}</th>' in page
        for reason in reasons:
            assert html.escape(reason) in page
    for count in (len(rows) + 2, 2, 0, len(rows)):
        assert f"<td>{count}</td>" in page
    assert not Institution.objects.exists()
    assert not PanelImport.objects.exists()

    done = confirm(operator, preview)
    assert list(Institution.objects.order_by("lei").values_list("lei", "name")) == [
        (LAST_LEI, "Other Bank"),
        (FIRST_LEI, "Test Bank"),
    ]
    report = PanelImport.objects.get()
    counts = (report.read, report.added, report.changed, report.unchanged, report.skipped)
    assert counts == (len(rows) + 2, 2, 0, 0, len(rows))
    assert (report.file_name, report.reason, report.actor_username) == (name, WHY, "operator")
    assert report.details["skipped"] == wanted
    assert html.escape(wanted[0][1][0]) in done.content.decode()
    assert len(kept_files()) == before
    entry = TrailEntry.objects.get(event=AuditEvent.PANEL_IMPORTED)
    assert (entry.actor_username, entry.about, entry.reason) == ("operator", name, WHY)
    entries = LogEntry.objects.filter(additional_data__reason=WHY)
    assert {(each.actor.username, each.action) for each in entries} == {
        ("operator", LogEntry.Action.CREATE)
    }
    assert len(entries) == 2
    assert {each.cid for each in entries} == {entry.request_id}


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_imported(operator: Client, reason: str) -> None:
    answer = confirm(operator, upload(operator, as_csv(lines([]))), reason)
    assert "This field is required." in answer.content.decode()
    assert not Institution.objects.exists()
    confirm(operator, answer)
    assert Institution.objects.count() == 2


def test_a_panel_that_changed_since_the_preview_is_shown_again(operator: Client) -> None:
    preview = upload(operator, as_csv(lines([])))
    Institution.objects.create(activity_year=2024, lei=FIRST_LEI, name="Early Bank", agency=9)
    again = confirm(operator, preview)
    assert told(again) == [PreviewChanged().message]
    assert WHY in again.content.decode()
    assert list(Institution.objects.values_list("name", flat=True)) == ["Early Bank"]
    confirm(operator, again)
    assert set(Institution.objects.values_list("name", flat=True)) == {"Test Bank", "Other Bank"}


def test_a_preview_is_confirmed_once(operator: Client) -> None:
    preview = upload(operator, as_csv(lines([])))
    confirm(operator, preview)
    assert told(confirm(operator, preview)) == [
        "This preview was already confirmed, or has expired. If it is "
        "not among the panel imports, upload the file again."
    ]
    assert PanelImport.objects.count() == 1


def test_what_is_imported_is_what_was_previewed(operator: Client) -> None:
    before = {*kept_files()}
    preview = upload(operator, as_csv(lines([])))
    (name,) = {*kept_files()} - before
    path = f"{panel_imports.PREVIEW_FOLDER}/{name}"
    default_storage.delete(path)
    default_storage.save(path, SimpleUploadedFile("x", as_csv(lines([])[:2])))
    assert told(confirm(operator, preview)) == [
        "The file differs from the one in the preview. Upload it again."
    ]
    assert not Institution.objects.exists()
    default_storage.delete(path)


def test_a_preview_is_for_whom_it_was_shown_to(operator: Client, admin_client: Client) -> None:
    preview = upload(operator, as_csv(lines([])))
    assert told(confirm(admin_client, preview)) == [
        "This preview belongs to another user. Upload the file yourself."
    ]
    damaged = operator.post(CONFIRM, {"ticket": "x:y:z", "reason": WHY}, follow=True)
    assert told(damaged) == ["This preview has expired. Upload the file again."]
    assert not Institution.objects.exists()


def test_files_that_nobody_confirms_go_away(operator: Client) -> None:
    old = f"{panel_imports.PREVIEW_FOLDER}/old"
    default_storage.save(old, SimpleUploadedFile("x", b"x"))
    before = (timezone.now() - panel_imports.PREVIEW_LASTS).timestamp() - 60
    os.utime(storage.open_local_copy(old), (before, before))
    upload(operator, as_csv(lines([])))
    assert not default_storage.exists(old)


def test_a_file_that_cannot_be_read_is_explained_beside_its_field(operator: Client) -> None:
    page = upload(operator, b"lei,name\n").content.decode()
    assert "The header row has no column activity_year, tax_id, agency" in page
    assert "Traceback" not in page


def test_a_preview_of_many_rows_takes_few_queries(operator: Client, settings: Any) -> None:
    settings.TEST_LEIS = True
    header = lines([])[0]
    rows = [[*(GOOD | {"lei": f"{number:020d}"}).values()] for number in range(600)]
    with CaptureQueriesContext(connection) as queries:
        preview = upload(operator, as_csv([header, *rows]))
    assert preview.context["added"] == 600
    assert len(queries) <= 15
    assert len(preview.content) < 100_000
    with CaptureQueriesContext(connection) as queries:
        confirm(operator, preview)
    assert PanelImport.objects.get().added == 600
    assert len(queries) < 150


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_the_form_explains_every_column_and_offers_a_template(operator: Client, kind: str) -> None:
    page = operator.get(UPLOAD).content.decode()
    for column in PANEL_COLUMNS:
        assert f"<code>{column.name}</code></th><td>{html.escape(column.takes)}</td>" in page
    address = reverse(f"admin:filing_institution_template_{kind}")
    assert f'href="{address}"' in page
    template = operator.get(address)
    assert template["Content-Disposition"] == f'attachment; filename="panel-template.{kind}"'
    shown = upload(operator, template.content)
    assert (shown.context["read"], shown.context["skipped"]) == (1, 1)

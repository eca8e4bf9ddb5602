"""Reference data by hand: looked at, loaded with a reason, replaced, and counted again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.demo.census import write_census as census_text
from filing.models import AuditEvent, ReferenceData, Submission, TrailEntry
from filing.reference.kinds import REFERENCE_KINDS
from filing.reference_data import loading, registry
from filing.statuses import Status
from tests import make
from tests.filing.files.remote_server import server  # noqa: F401 -- a fixture
from tests.filing.reference_data.storage import files  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db
LIST, LOAD, CONFIRM = (
    reverse(f"admin:filing_referencedata_{page}") for page in ("changelist", "load", "confirm")
)
REASON = "The office has corrected it."


def corrected(year: int = 2024) -> str:
    """The demo census with one tract gone, one changed and one new."""
    head, _, second, third, *others = census_text(year).splitlines()
    cells = second.split("|")
    cells[6] = "1"
    new = third.split("|")
    new[4] = "999999"
    return "\n".join([head, "|".join(cells), third, "|".join(new), *others])


def look(client: Client, text: str, *, year: int = 2024, kind: str = "census") -> Any:
    upload = SimpleUploadedFile("facts.txt", text.encode())
    return client.post(LOAD, {"kind": kind, "year": year, "file": upload})


def load(client: Client, text: str, *, year: int = 2024) -> Any:
    return client.post(CONFIRM, confirmation(look(client, text, year=year)), follow=True)


def confirmation(preview: Any, reason: str = REASON) -> dict[str, Any]:
    """Return the form below a preview."""
    tokens = [each.token for each in preview.context["previews"] if each.token]
    return {"token": tokens, "digest": preview.context["digest"], "reason": reason}


def staged(files: Path) -> list[Path]:
    return list((files / loading.STAGED).glob("*"))


def test_a_file_counts_once_it_was_looked_at_and_has_a_reason(
    operator: Client, files: Path
) -> None:
    preview = look(operator, census_text(2024))
    assert "612 tracts" in preview.content.decode()
    assert "This is the first file of 2024." in preview.content.decode()
    assert not ReferenceData.objects.exists()
    assert len(staged(files)) == 1
    again = operator.post(CONFIRM, confirmation(preview, " "))
    assert "Enter a reason; one sentence for the audit log is enough." in again.content.decode()
    assert not ReferenceData.objects.exists()
    done = operator.post(CONFIRM, confirmation(preview), follow=True)
    assert "The census of 2024 is loaded, 612 rows from facts.txt." in done.content.decode()
    loaded = ReferenceData.objects.get()
    assert (loaded.active, loaded.loaded_by) == (True, "operator@service.example")
    assert registry.find_census(2024) is not None
    assert staged(files) == []
    entry = TrailEntry.objects.get(event=AuditEvent.REFERENCE_DATA_LOADED)
    assert (entry.actor_email, entry.reason) == ("operator@service.example", REASON)
    assert entry.about.startswith("census 2024 from facts.txt, SHA-256 ")


def look_at(client: Client, *files: tuple[str, str], kind: str = "census", year: str = "") -> Any:
    """Preview files together, each by its name and text."""
    uploads = [SimpleUploadedFile(name, text.encode()) for name, text in files]
    return client.post(LOAD, {"kind": kind, "year": year, "file": uploads})


def test_many_years_are_previewed_together_and_confirmed_together(
    operator: Client, files: Path
) -> None:
    load(operator, census_text(2023), year=2023)
    page = look_at(
        operator,
        ("a.txt", census_text(2022)),
        ("b.txt", census_text(2023)),
        ("c", "x|y\n2024|1"),
    )
    previews = page.context["previews"]
    assert [(each.year, bool(each.refusal)) for each in previews] == [
        (2022, False),
        (2023, False),
        (2024, True),
    ]
    text = page.content.decode()
    assert "<strong>Cannot be loaded.</strong>" in text.replace(' class="reference-missing"', "")
    assert "the line has 2 columns" in text
    assert 'value="Load 2 of 3 files"' in text
    assert operator.post(CONFIRM, confirmation(page, "")).context["loadable"] != []
    done = operator.post(CONFIRM, confirmation(page), follow=True)
    assert "The census of 2022 is loaded, 612 rows from a.txt." in done.content.decode()
    assert "The census of 2023 is unchanged: b.txt is already in use." in done.content.decode()
    assert set(ReferenceData.objects.values_list("year", "active")) == {(2022, True), (2023, True)}
    assert staged(files) == []


def test_nothing_is_loaded_when_one_of_many_is_gone(operator: Client, files: Path) -> None:
    page = look_at(operator, ("a.txt", census_text(2022)), ("b.txt", census_text(2023)))
    (files / loading.STAGED).joinpath(max(staged(files), key=modified).name).unlink()
    done = operator.post(CONFIRM, confirmation(page), follow=True)
    assert "The file was already loaded, or has expired." in done.content.decode()
    assert not ReferenceData.objects.exists()
    assert not TrailEntry.objects.filter(event=AuditEvent.REFERENCE_DATA_LOADED).exists()


def modified(path: Path) -> int:
    return path.stat().st_mtime_ns


def test_the_year_of_a_file_is_read_from_its_first_column_or_its_name(operator: Client) -> None:
    for kind, name, text, year in [
        ("census", "x.txt", census_text(2021), 2021),
        (
            "census",
            "census-2019.txt",
            census_text(2021),
            2021,
        ),  # its lines count, not its name
        ("county-limits", "FullCountyLoanLimitList2024.txt", "a|b\n1|2", 2024),
        ("county-limits", "limits-2024-of-2025.txt", "a|b\n1|2", None),
        ("county-limits", "limits.txt", "a|b\n2024|2", None),
        ("county-limits", "20240101.txt", "a|b\n1|2", None),
        ("census", "census.txt", census_text(2021).replace("2021|", "1999|"), None),
        ("census", "census.txt", "", None),
    ]:
        page = look_at(operator, (name, text or " "), kind=kind)
        (found,) = page.context["previews"]
        assert found.year == year
        if year is None:
            assert "The data year is unknown. Choose it" in page.content.decode()


def test_two_files_of_one_year_are_not_loaded_together(operator: Client) -> None:
    page = look_at(operator, ("a.txt", census_text(2022)), ("b.txt", corrected(2022)))
    first, second = page.context["previews"]
    assert (bool(first.token), second.token) == (True, "")
    assert second.refusal == "a.txt also has the data of 2022. Choose one of the two."
    named = look_at(operator, ("a", census_text(2022)), ("b", census_text(2023)), year="2022")
    assert "For several files, select “As in each file”" in named.content.decode()


def test_the_form_names_each_column_with_what_it_takes_and_offers_a_template(
    operator: Client,
) -> None:
    for kind in REFERENCE_KINDS.values():
        page = operator.get(LOAD).content.decode()
        template = operator.get(reverse("admin:filing_referencedata_template", args=[kind.name]))
        columns = kind.columns(2024)
        assert template.content.decode() == "|".join(each.label for each in columns) + "\n"
        assert f'filename="{kind.name}-template.txt"' in template["Content-Disposition"]
        assert f'href="{template.wsgi_request.path}"' in page
        for column in columns[kind.says_year :]:
            label = column.label[:1].upper() + column.label[1:]
            assert f'<th scope="row">{label}</th><td>{column.takes}</td>' in page
        missing = operator.get(reverse("admin:filing_referencedata_template", args=["apor"]))
        assert missing.status_code == 404


def test_a_replaced_file_is_kept_and_can_count_again(operator: Client) -> None:
    load(operator, census_text(2024))
    load(operator, corrected())
    old, new = ReferenceData.objects.order_by("pk")
    assert (old.active, new.active) == (False, True)
    restore = reverse("admin:filing_referencedata_restore", args=[old.pk])
    change = reverse("admin:filing_referencedata_change", args=[old.pk])
    assert restore in operator.get(change).content.decode()
    preview = operator.get(restore)
    assert "1 rows added, 1 removed, 1 changed." in preview.content.decode()
    sent = {"reason": REASON, "digest": preview.context["digest"]}
    assert "Enter a reason" in operator.post(restore, {"reason": ""}).content.decode()
    done = operator.post(restore, sent, follow=True)
    assert "The census of 2024 is restored from facts.txt." in done.content.decode()
    assert list(ReferenceData.objects.order_by("pk").values_list("active", flat=True)) == [
        True,
        False,
    ]
    census = registry.find_census(2024)
    assert census is not None
    assert "01001000100" in census.tracts.to_list()
    entry = TrailEntry.objects.get(event=AuditEvent.REFERENCE_DATA_RESTORED)
    assert entry.reason == REASON
    twice = operator.post(restore, sent, follow=True)
    assert "This file is already in use." in twice.content.decode()


def test_the_file_that_counts_is_loaded_once(operator: Client) -> None:
    load(operator, census_text(2024))
    done = load(operator, census_text(2024))
    assert "The census of 2024 is unchanged: facts.txt is already in use." in done.content.decode()
    assert ReferenceData.objects.count() == 1
    assert TrailEntry.objects.filter(event=AuditEvent.REFERENCE_DATA_LOADED).count() == 1


def test_a_look_is_good_for_the_one_who_looked_once_and_for_a_day(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = confirmation(look(operator, census_text(2024)))
    (token,) = form["token"]
    other = make.browser(make.staff("administrator"))

    def answer(client: Client, sent: str) -> str:
        return client.post(CONFIRM, form | {"token": sent}, follow=True).content.decode()

    assert "This preview belongs to another user." in answer(other, token)
    assert "The preview has expired." in answer(operator, token + "x")
    later = timezone.now() + timedelta(hours=25)
    with monkeypatch.context() as patched:
        patched.setattr("time.time", later.timestamp)
        assert "The preview has expired." in answer(operator, token)
    assert "is loaded" in answer(operator, token)
    assert "The file was already loaded, or has expired." in answer(operator, token)
    assert ReferenceData.objects.count() == 1


def test_files_that_nobody_let_count_are_deleted_after_a_day(
    operator: Client, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loading.delete_staged_files() == 0
    look(operator, census_text(2024))
    assert loading.delete_staged_files() == 0
    assert len(staged(files)) == 1
    late = timezone.now() + timedelta(hours=25)
    monkeypatch.setattr(timezone, "now", lambda: late)
    assert loading.delete_staged_files() == 1
    assert staged(files) == []


def test_what_cannot_be_looked_at_is_told_on_the_form(operator: Client) -> None:
    for sent, told in [
        ({}, "Either choose files or enter an address."),
        ({"kind": "apor"}, "Select a valid choice."),
        ({"year": "1999"}, "Select a valid choice."),
        ({"address": "http://localhost:1/x"}, "does not fetch from localhost:1"),
        ({"address": "ftp://x"}, "begins with http:// or https://"),
    ]:
        page = operator.post(LOAD, {"kind": "census", "year": "2024", **sent}).content.decode()
        assert told in page
        assert 'role="alert"' in page


def test_a_file_that_is_too_large_is_refused(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 1000)
    assert "larger than 1,000 bytes" in look(operator, census_text(2024)).content.decode()


def test_a_file_is_fetched_from_its_address(
    operator: Client,
    server: Any,
) -> None:
    address = f"http://{server.name}/file"
    page = operator.post(LOAD, {"kind": "census", "year": "2024", "address": address})
    assert page.context["previews"][0].bad  # it is no census
    assert page.context["previews"][0].source == address
    assert server.asked


def test_unsigned_submissions_that_were_checked_before_are_pointed_out(
    operator: Client, submission: Submission
) -> None:
    def hinted(text: str) -> bool:
        return "1 unsigned submissions were checked" in load(operator, text).content.decode()

    assert not hinted(census_text(2024))
    Submission.objects.update(status=Status.QUALITY_ERRORS, edits_folder="x")
    assert hinted(corrected())
    Submission.objects.update(status=Status.SIGNED)
    assert not hinted(census_text(2024))

"""The pages of publications, as an operator uses them and the help desk looks at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from databrowser.models import Publication, PublicImport, Version
from databrowser.publication import build, dataset, imports, versions
from filing import pipeline
from filing.access import Caller
from filing.models import Job
from tests.databrowser.publication.public_files import published, sign
from tests.filing.test_roles import member, signed_in

pytestmark = pytest.mark.django_db
A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
OLGA = Caller(id="1", username="olga")
LIST = reverse("admin:databrowser_version_changelist")
BUILD = reverse("admin:databrowser_version_build")


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(member("operator", email="olga@service.example"))


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def act(client: Client, model: str, action: str, thing: Any, reason: str) -> str:
    """Preview an action on one object, and do it; return what the page then tells."""
    address = reverse(f"admin:databrowser_{model}_{action}")
    shown = client.get(address, {"pk": thing.pk})
    chosen = shown.context["chosen"]
    return text_of(client.post(address, {"chosen": chosen, "reason": reason}))


def test_an_operator_builds_a_year_and_watches_it(operator: Client) -> None:
    sign(A, {"income": "1"})
    page = text_of(operator.get(LIST))
    assert "1 signed submission." in page
    assert f"{BUILD}?year=2023" in page
    form = operator.get(BUILD, {"year": "2023"})
    assert "A data set of 2023 is made of 1 signed submissions" in text_of(form)
    refused = text_of(operator.post(BUILD, {"year": "2023", "goes_live": "on", "reason": ""}))
    assert "Say why: one sentence for the history will do." in refused
    nothing = text_of(operator.post(BUILD, {"year": "2019", "reason": "Try."}))
    assert "There is nothing to publish for 2019" in nothing
    asked = operator.post(BUILD, {"year": "2023", "goes_live": "on", "reason": "Complete."})
    version = Version.objects.get()
    address = reverse("admin:databrowser_version_change", args=[version.pk])
    assert asked["Location"] == address
    assert "It waits for a worker." in text_of(operator.get(address))
    Job.objects.filter(pk=version.job_id).update(state="failed", last_error="The disk is full.")
    failed = text_of(operator.get(address))
    assert "given up after 0 attempts: The disk is full." in failed
    Job.objects.filter(pk=version.job_id).update(state="queued")
    pipeline.work(version.job_id)
    progress = reverse("admin:databrowser_version_progress", args=[version.pk])
    assert "2023-1: built, with 1 rows of 1 institutions" in text_of(operator.get(progress))
    assert "&quot;fingerprint&quot;" in text_of(operator.get(address))
    assert Publication.objects.get().actor_username == "operator"
    page = text_of(operator.get(LIST))
    assert "by operator" in page
    assert "signed submission." not in page


def test_an_operator_rolls_back_and_withdraws_with_a_reason(operator: Client) -> None:
    sign(A, {"income": "1"})
    first = build.build(2023, by=OLGA, reason="First.")
    sign(A, {"income": "2"})
    build.build(2023, by=OLGA, reason="Second.")
    assert "Roll back to 2023-1" in text_of(operator.get(LIST))
    with CaptureQueriesContext(connection) as asked:
        operator.get(LIST)
    assert len(asked) < 25
    told = act(operator, "version", "go_live", first, "Wrong rows.")
    assert "2023 is rolled back from version 2023-2 (1 rows) to 2023-1 (1 rows)." in told
    assert [each.name for each in dataset.live()] == ["2023-1"]
    for asked_for, listed in (("yes", ["2023-1"]), ("no", ["2023-2"]), ("", ["2023-2", "2023-1"])):
        page = operator.get(f"{LIST}?is_live={asked_for}").context["cl"].result_list
        assert [version.name for version in page] == listed
    told = act(operator, "version", "withdraw", first, "By order.")
    assert "2023 is no longer public" in told
    assert dataset.live() == ()
    kept = Publication.objects.values_list("what", "actor_username", "reason")
    assert list(kept[:2]) == [
        ("withdrawn", "operator", "By order."),
        ("rolled back", "operator", "Wrong rows."),
    ]
    history = text_of(operator.get(reverse("admin:databrowser_publication_changelist")))
    assert "By order." in history


def test_what_was_previewed_is_not_done_once_another_version_is_live(operator: Client) -> None:
    sign(A, {"income": "1"})
    first = build.build(2023, by=OLGA, reason="First.")
    sign(A, {"income": "2"})
    second = build.build(2023, by=OLGA, reason="Second.", goes_live=False)
    address = reverse("admin:databrowser_version_withdraw")
    chosen = operator.get(address, {"pk": first.pk}).context["chosen"]
    versions.go_live(second, by=OLGA, reason="Now.")
    versions.go_live(first, by=OLGA, reason="Back.")
    told = text_of(operator.post(address, {"chosen": chosen, "reason": "Old page."}))
    assert "It was changed after you had looked at it." in told
    assert len(dataset.live()) == 1


def test_imports_are_left_out_and_taken_in_again(operator: Client, tmp_path: Path) -> None:
    (found,) = imports.load(published(tmp_path / "2023.csv", {"lei": A}), by=OLGA).made
    assert "1 imported file." in text_of(operator.get(LIST))
    listed = text_of(operator.get(reverse("admin:databrowser_publicimport_changelist")))
    assert "2023.csv" in listed
    told = act(operator, "publicimport", "leave_out", found, "It has errors.")
    assert "leave the data set of 2023 at the next build" in told
    assert not PublicImport.objects.get().active
    act(operator, "publicimport", "take_in", found, "It has none.")
    assert PublicImport.objects.get().active


def test_the_help_desk_looks_and_changes_nothing(db: None) -> None:
    sign(A, {"income": "1"})
    version = build.build(2023, by=OLGA, reason="First.")
    desk = signed_in(member("help desk"))
    page = text_of(desk.get(LIST))
    assert "2023-1" in page
    assert "Withdraw" not in page
    assert "Build" not in page
    for name in ("build", "go_live", "withdraw"):
        address = reverse(f"admin:databrowser_version_{name}")
        for answer in (desk.get(address, {"pk": version.pk}), desk.post(address, {"year": "2023"})):
            assert answer.status_code == 403, name
    assert len(dataset.live()) == 1

"""The pages of publications, as an operator uses them and the help desk looks at them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from databrowser.boundaries import loading
from databrowser.models import (
    BoundaryFile,
    BoundaryKind,
    ModifiedLar,
    Publication,
    PublicImport,
    Version,
)
from databrowser.publication import serving
from databrowser.publication.builds import build_requests, builder
from databrowser.publication.imports import public_files
from filing.access import Caller
from filing.jobs import loop, queue
from filing.models import Job
from tests.databrowser.boundaries.files import counties
from tests.databrowser.publication.public_files import published, sign
from tests.filing.people.members import member, signed_in

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
    takes = "A build of 2023 takes in 1 signed submission and 0 imported files."
    assert takes in text_of(form)
    refused = text_of(operator.post(BUILD, {"year": "2023", "goes_live": "on", "reason": ""}))
    assert "Enter a reason; one sentence is enough." in refused
    not_open = text_of(operator.post(BUILD, {"year": "2019", "reason": "Try."}))
    assert "2019 is not one of the available choices" in not_open
    sent = {"year": "2023", "goes_live": "on", "reason": "Complete."}
    asked = operator.post(BUILD, sent | {"digest": form.context["digest"]})
    version = Version.objects.get()
    address = reverse("admin:databrowser_version_change", args=[version.pk])
    assert asked["Location"] == address
    loop.run_job(version.job_id)
    assert "&quot;fingerprint&quot;" in text_of(operator.get(address))
    assert Publication.objects.get().actor_username == "operator"
    page = text_of(operator.get(LIST))
    assert "by operator" in page
    assert "signed submission." not in page


def facts(page: str) -> dict[str, str]:
    """Return the fields of a page, as they are read."""
    found = re.findall(r'<label>([^<]*):</label> <div class="readonly">(.*?)</div>', page)
    return {name: re.sub("<[^>]*>", "", value) for name, value in found}


def offers(page: str) -> list[str]:
    """Return the actions that a page leads to."""
    return re.findall(r'<a href="/admin/databrowser/version/act/[^"]*">([^<]*)</a>', page)


def test_a_page_that_is_followed_ends_with_all_of_what_was_built(operator: Client) -> None:
    sign(A, {"income": "1"}, {"income": "2"})
    sign(A, {"income": "1"})
    sign(B, {"income": "3"}, disclosed=False)
    version = build_requests.request_build(2023, by=OLGA, reason="Complete.")
    followed = reverse("admin:databrowser_version_progress", args=[version.pk])
    assert 'role="status"></p>' in text_of(operator.get(followed, headers={"HX-Request": "true"}))
    loop.run_job(version.job_id)
    page = text_of(operator.get(followed, headers={"HX-Request": "true"}))
    told = facts(page)
    assert (told["State"], told["Records"], told["Institutions"]) == ("built", "1", "1")
    assert told["Made of"] == "1 signed submission and 0 imported files"
    assert told["Left out"] == f"1 signed submission not prepared for publication, of {B}"
    assert told["Published"].startswith("since 20")
    assert offers(page) == ["Withdraw"]
    assert "hx-get" not in page
    assert "Progress" not in page
    assert 'role="status">Version 2023-1: built.</p>' in page


def test_pages_of_versions_offer_what_can_be_done_to_them_now(operator: Client) -> None:
    def offered(version: Version) -> list[str]:
        address = reverse("admin:databrowser_version_change", args=[version.pk])
        return offers(text_of(operator.get(address)))

    sign(A, {"income": "1"})
    first = builder.build_year(2023, by=OLGA, reason="First.", goes_live=False)
    assert offered(first) == ["Publish"]
    act(operator, "version", "go_live", first, "Complete.")
    assert offered(first) == ["Withdraw"]
    sign(A, {"income": "2"})
    second = builder.build_year(2023, by=OLGA, reason="Second.", goes_live=False)
    assert (offered(first), offered(second)) == (["Withdraw"], ["Publish"])
    act(operator, "version", "go_live", second, "Better.")
    assert (offered(first), offered(second)) == (["Roll back"], ["Withdraw"])
    refused = text_of(operator.get(reverse("admin:databrowser_version_go_live"), {"pk": first.pk}))
    assert "A later version than 2023-1 is published; roll back to this one instead." in refused
    act(operator, "version", "withdraw", second, "By order.")
    assert (offered(first), offered(second)) == (["Publish"], ["Publish"])
    refused = text_of(
        operator.get(reverse("admin:databrowser_version_roll_back"), {"pk": first.pk})
    )
    assert "No later version than 2023-1 is published; publish this one instead." in refused
    Version.objects.filter(pk=first.pk).update(state="removed")
    unchanged = build_requests.request_build(2023, by=OLGA, reason="Again.")
    Version.objects.filter(pk=unchanged.pk).update(state="unchanged")
    assert (offered(first), offered(unchanged)) == ([], [])


def test_what_is_new_is_what_a_build_takes_in(operator: Client) -> None:
    for income in ("1", "2", "3"):
        sign(A, {"income": income})
    sign(A, quarter="Q1")
    sign(A, quarter="Q2")
    failed = sign(B, {"income": "1"}, disclosed=False)
    job = queue.add_job("disclose")
    Job.objects.filter(pk=job.pk).update(state="failed")
    ModifiedLar.objects.create(submission=failed, job=job)
    left_out = (
        "1 signed submission is left out: preparing for publication failed, see Modified LARs.",
        "2 signed submissions are left out: the institution signed another one later.",
        "2 signed quarterly submissions are left out: only the quarterly graphs use these.",
    )
    listed = text_of(operator.get(LIST))
    assert "<td> 1 signed submission. 1 signed submission that cannot be published." in listed
    form = text_of(operator.get(BUILD, {"year": "2023"}))
    assert "A build of 2023 takes in 1 signed submission and 0 imported files." in form
    for sentence in left_out:
        assert sentence in listed
        assert sentence in form
    version = builder.build_year(2023, by=OLGA, reason="Complete.")
    page = text_of(operator.get(reverse("admin:databrowser_version_change", args=[version.pk])))
    assert facts(page)["Made of"] == "1 signed submission and 0 imported files"
    listed = text_of(operator.get(LIST))
    assert "signed submission" not in listed
    assert f'{BUILD}?year=2023"' not in listed


def test_an_operator_rolls_back_and_withdraws_with_a_reason(operator: Client) -> None:
    sign(A, {"income": "1"})
    first = builder.build_year(2023, by=OLGA, reason="First.")
    sign(A, {"income": "2"})
    builder.build_year(2023, by=OLGA, reason="Second.")
    assert "Roll back to 2023-1" in text_of(operator.get(LIST))
    with CaptureQueriesContext(connection) as asked:
        operator.get(LIST)
    assert len(asked) < 25
    told = act(operator, "version", "roll_back", first, "Wrong rows.")
    assert "2023 is rolled back from version 2023-2 (1 record) to 2023-1 (1 record)." in told
    assert [each.name for each in serving.live_data_sets()] == ["2023-1"]
    for asked_for, listed in (("yes", ["2023-1"]), ("no", ["2023-2"]), ("", ["2023-2", "2023-1"])):
        page = operator.get(f"{LIST}?is_live={asked_for}").context["cl"].result_list
        assert [version.name for version in page] == listed
    told = act(operator, "version", "withdraw", first, "By order.")
    assert "2023 is no longer public" in told
    assert serving.live_data_sets() == ()
    kept = Publication.objects.values_list("what", "actor_username", "reason")
    assert list(kept[:2]) == [
        ("withdrawn", "operator", "By order."),
        ("rolled back", "operator", "Wrong rows."),
    ]
    history = text_of(operator.get(reverse("admin:databrowser_publication_changelist")))
    assert "By order." in history


def test_imports_are_left_out_and_taken_in_again(operator: Client, tmp_path: Path) -> None:
    (found,) = public_files.import_public_file(
        published(tmp_path / "2023.csv", {"lei": A}), by=OLGA
    ).imports
    assert "1 imported file." in text_of(operator.get(LIST))
    listed = text_of(operator.get(reverse("admin:databrowser_publicimport_changelist")))
    assert "2023.csv" in listed
    told = act(operator, "publicimport", "leave_out", found, "It has errors.")
    assert "will leave the 2023 data set with the next build" in told
    assert not PublicImport.objects.get().active
    act(operator, "publicimport", "take_in", found, "It has none.")
    assert PublicImport.objects.get().active


def test_an_operator_leaves_boundaries_out_and_uses_them_again(operator: Client) -> None:
    data = counties("10001", "10003")
    loading.load_boundaries(BoundaryKind.COUNTY, (2023, 2023), data, source="de.json", by=OLGA)
    file = BoundaryFile.objects.get()
    listed = text_of(operator.get(reverse("admin:databrowser_boundaryfile_changelist")))
    assert "de.json" in listed
    page = reverse("admin:databrowser_boundaryfile_change", args=[file.pk])
    assert file.sha256 in text_of(operator.get(page))
    told = act(operator, "boundaryfile", "leave_out", file, "They are wrong.")
    assert "Maps of 2023 will not use its 2 counties" in told
    assert not BoundaryFile.objects.get().active
    act(operator, "boundaryfile", "take_in", file, "They are right.")
    assert BoundaryFile.objects.get().active


def test_the_help_desk_looks_and_changes_nothing(db: None) -> None:
    sign(A, {"income": "1"})
    version = builder.build_year(2023, by=OLGA, reason="First.")
    desk = signed_in(member("help desk"))
    page = text_of(desk.get(LIST))
    assert "2023-1" in page
    assert "Withdraw" not in page
    assert "Build" not in page
    for name in ("build", "go_live", "roll_back", "withdraw"):
        address = reverse(f"admin:databrowser_version_{name}")
        for answer in (desk.get(address, {"pk": version.pk}), desk.post(address, {"year": "2023"})):
            assert answer.status_code == 403, name
    assert len(serving.live_data_sets()) == 1

"""Versions are published, rolled back to and withdrawn; readers get one of them whole."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from databrowser.models import LiveVersion, ModifiedLar, Publication, Version
from databrowser.publication import serving
from databrowser.publication.builds import build_requests
from databrowser.publication.imports import public_files
from databrowser.publication.modified_lars import lar_requests
from databrowser.publication.versions import freeze_days, live_versions
from filing.errors import BadInput, NotFound, NotReady
from filing.jobs import loop
from filing.models import Institution, Job, TrailEntry
from tests.databrowser.builds import OLGA, WHY, built, live, rows
from tests.databrowser.publication.public_files import published, sign
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db

A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"


@pytest.mark.servers
def test_versions_go_live_back_and_away() -> None:
    sign(A, {"income": "1"})
    first = built()
    sign(A, {"income": "2"})
    second = built(goes_live=False)
    assert live().name == "2023-1"
    assert live_versions.publish_version(second, by=OLGA, reason=WHY) == (
        "2023 moves on from version 2023-1 (1 record) to 2023-2 (1 record)."
    )
    with pytest.raises(NotReady, match="2023-2 is already published"):
        live_versions.publish_version(second, by=OLGA, reason=WHY)
    with pytest.raises(BadInput, match="Say why"):
        live_versions.publish_version(first, by=OLGA, reason="")
    with pytest.raises(NotFound, match="no version 2023-7"):
        live_versions.roll_back_target(2023, 7)
    call_command("rollback", "2023", "--reason", "Wrong rows.")
    assert live().name == "2023-1"
    with pytest.raises(CommandError, match="No version before 2023-1"):
        call_command("rollback", "2023", "--reason", "Wrong rows.")
    call_command("rollback", "2023", "--to", "2", "--reason", "They were right.")
    call_command("withdraw", "2023", "--reason", "By order.")
    assert serving.live_data_sets() == ()
    for command in ("withdraw", "rollback"):
        with pytest.raises(CommandError, match="No version of 2023 is published"):
            call_command(command, "2023", "--reason", "Again.")
    live_versions.publish_version(first, by=OLGA, reason="Back again.")
    assert [each.what for each in Publication.objects.order_by("pk")] == [
        *("published", "published", "rolled back", "published", "withdrawn", "published"),
    ]
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert live().name == "2023-1"
    assert len(asked) == 1


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(member("operator"))


def daily_build(income: str) -> Version:
    """Sign, and do what the clock does: request what is due, and build it."""
    sign(A, {"income": income})
    (version,) = build_requests.request_due_builds()
    loop.run_job(version.job_id)
    version.refresh_from_db()
    assert version.state == Version.State.BUILT
    return version


def test_a_withdrawn_year_stays_withdrawn_until_staff_publish_it(operator: Client) -> None:
    sign(A, {"income": "1"})
    live_versions.withdraw_version(built(), by=OLGA, reason="By order.")
    daily = daily_build("2")
    assert serving.live_data_sets() == ()
    decision = live_versions.decision_against(daily)
    assert decision is not None
    assert "By order." in live_versions.describe_decision(decision)
    page = facts_of(daily, operator)
    assert "staff withdrew 2023" in page
    live_versions.publish_version(daily, by=OLGA, reason=WHY)
    assert live().name == "2023-2"
    assert "staff withdrew 2023" not in facts_of(daily, operator)
    daily_build("3")
    assert live().name == "2023-3"


def test_a_year_that_was_rolled_back_stays_so_until_staff_publish_it(operator: Client) -> None:
    sign(A, {"income": "1"})
    built()
    sign(A, {"income": "2"})
    built()
    call_command("rollback", "2023", "--reason", "Wrong rows.")
    daily = daily_build("3")
    assert live().name == "2023-1"
    assert "staff rolled back 2023" in facts_of(daily, operator)
    sign(A, {"income": "4"})
    call_command("publish", "2023", "--reason", "They are right now.")
    assert live().name == "2023-4"


def test_what_staff_requested_before_a_withdrawal_is_not_published_after_it() -> None:
    sign(A, {"income": "1"})
    first = built()
    sign(A, {"income": "2"})
    requested = build_requests.request_build(2023, by=OLGA, reason=WHY)
    live_versions.withdraw_version(first, by=OLGA, reason="By order.")
    loop.run_job(requested.job_id)
    assert serving.live_data_sets() == ()


def facts_of(version: Version, client: Client) -> str:
    """Return the page of a version, which says the same as the list of all years."""
    pages = (
        reverse("admin:databrowser_version_change", args=[version.pk]),
        reverse("admin:databrowser_version_changelist"),
    )
    texts = [client.get(page).content.decode() for page in pages]
    assert ("built, not published" in texts[0].lower()) == (
        "built, not published" in texts[1].lower()
    )
    return texts[0]


def test_a_withdrawn_year_is_not_found_anywhere() -> None:
    """Every area gives the answer of its own form; the other year stays public."""
    sign(A, {"income": "1"})
    sign(A, {"income": "1"}, year=2024)
    version = built()
    built(2024)
    client, question = Client(), "states=MD&actions_taken=1"
    view = "/v2/data-browser-api/view"
    placed = [f"{view}/{kind}" for kind in ("aggregations", "csv", "pipe", "parquet")]
    nationwide = [path.replace("/view/", "/view/nationwide/") for path in placed]
    browser = [f"{path}?years={{}}&{question}" for path in [*placed, *nationwide]]
    browser += [f"{view}/filers?years={{}}", f"{view}/count?years={{}}&states=MD"]
    pages = [f"/data/browser/?years={{}}&{question}", "/data/browser/chart.svg?years={}"]
    feed = [f"/v2/public/publications/{{}}{file}" for file in ("", "/loans.csv.gz")]

    def statuses(years: str) -> set[int]:
        paths = (*browser, *pages, *feed)
        return {client.head(path.format(years)).status_code for path in paths}

    assert statuses("2023") == {200}
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    assert statuses("2023") == {404}
    assert statuses("2024") == {200}
    for path in browser:
        for years in ("2023", "2024,2023"):
            refusal = client.get(path.format(years))
            assert refusal.status_code == 404
            body = refusal.json()
            assert (body["errorType"], body["unpublishedYears"]) == ("not-published", "2023")
    page = client.get(pages[0].format("2024,2023"))
    assert page.status_code == 404
    assert "2023" in page.context["refusal"].message
    assert 'value="2023"' not in client.get("/data/browser/").content.decode()
    assert "loans.csv.gz" in (downloads := client.get("/data/downloads/").content.decode())
    assert "publications/2023/" not in downloads


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_readers_never_see_a_mix_of_two_versions() -> None:
    """Each version has as many rows as its number, in Parquet and in the serving file."""
    made = []
    for number in range(1, 4):
        sign(A, *[{"income": str(number)}] * number)
        made.append(built(goes_live=number == 1))
    ended, wrong, seen = threading.Event(), [], set()

    def read() -> None:
        try:
            while not ended.is_set():
                of = live()
                incomes = rows(of, "income")
                with duckdb.connect(str(of.serving), read_only=True) as serving:
                    served = serving.execute("SELECT count(*) FROM loans").fetchone()
                expected = [(str(of.version),)] * of.version
                if incomes != expected or served != (of.version,) or of.rows != of.version:
                    wrong.append((of, incomes, served))
                seen.add(of.version)
        except Exception as error:
            wrong.append(error)
        finally:
            connection.close()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for version in [*made[1:], *made[::-1], *made] * 2:
        if not LiveVersion.objects.filter(version=version).exists():
            live_versions.publish_version(version, by=OLGA, reason=WHY)
    ended.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) > 1


def vintage(dataset: str, number: int) -> Version:
    """Return a vintage with the files of the newest version of the year."""
    newest = Version.objects.filter(state=Version.State.BUILT).latest("number")
    newest.pk, newest._state.adding = None, True
    newest.job = Job.objects.create(stage="publish", state=Job.State.DONE)
    newest.number, newest.dataset = number, dataset
    newest.frozen_on = freeze_days.find_freeze_day(newest.year, dataset).day
    newest.save()
    return newest


def test_the_last_vintage_of_a_year_is_shown_and_each_data_set_is_published_by_itself() -> None:
    sign(A, {"income": "1"})
    built()
    three_years = vintage("three-year", 2)
    live_versions.publish_version(three_years, by=OLGA, reason=WHY)
    for number, dataset in enumerate(("snapshot", "one-year"), 3):
        live_versions.publish_version(vintage(dataset, number), by=OLGA, reason=WHY)
    assert live().name == "2023-2"
    assert [each.version.name for each in live_versions.published_data_sets()] == [
        *("2023-2", "2023-4", "2023-3", "2023-1"),
    ]
    assert len(live_versions.public_versions(2023)) == 4
    with pytest.raises(CommandError, match="No version before 2023-2"):
        call_command("rollback", "2023", "--reason", "Wrong rows.")  # no snapshot, no dynamic one
    call_command("withdraw", "2023", "--reason", "By order.")
    assert live().name == "2023-4"
    call_command("withdraw", "2023", "--dataset", "snapshot", "--reason", "By order.")
    assert live().name == "2023-4"
    assert {each.name for each in live_versions.public_versions(2023)} == {"2023-4", "2023-1"}
    sign(A, {"income": "2"})  # staff withdrew vintages, and not the dynamic data set
    assert built().name == "2023-5"
    assert live_versions.require_live_version(2023, "dynamic").version.name == "2023-5"
    assert live().name == "2023-4"


def test_no_version_with_records_of_a_test_institution_becomes_public(tmp_path: Path) -> None:
    """By publishing it, by rolling back to it, or after its build."""
    sign(A, {"income": "1"}, {"income": "2"})
    sign(B, {"income": "3"})
    first = built()
    sign(B, {"income": "4"})
    built()
    sign(B, {"income": "5"})
    third = built(goes_live=False)
    Institution.objects.filter(lei=A).update(is_test=True)
    for plan, version in (
        (live_versions.plan_roll_back, first), (live_versions.plan_publish, third),
    ):  # fmt: skip
        with pytest.raises(NotReady, match="2 records"):
            plan(version)
        with pytest.raises(NotReady, match="again"):
            live_versions.publish_version(version, by=OLGA, reason=WHY)
    fourth = built()
    assert live().name == fourth.name
    assert rows(live(), "lei") == [(B,)]


def test_imported_records_of_a_test_institution_are_left_out(tmp_path: Path) -> None:
    public_files.import_public_file(published(tmp_path / "x.csv", {"lei": A}, {"lei": B}), by=OLGA)
    built()
    Institution.objects.create(activity_year=2023, lei=A, name="A", agency=9, is_test=True)
    built()
    assert rows(live(), "lei") == [(B,)]


@pytest.mark.servers
def test_what_stays_public_of_a_withdrawn_year_is_named_and_can_be_withdrawn(
    client: Client, operator: Client
) -> None:
    sign(A, {"income": "1"})
    sign(B, {"income": "2"})
    version = built()
    address = f"/v2/public/modifiedLAR/2023/{A}/csv"
    assert client.head(address).status_code == 200
    plan = live_versions.plan_withdraw(version)
    assert "2 modified LARs" in plan
    assert "--modified-lars" in plan
    lar = ModifiedLar.objects.get(submission__filing__institution__lei=A)
    assert version.name in lar_requests.plan_withdraw_lar(lar)
    call_command("withdraw", "2023", "--reason", "By order.", "--modified-lars")
    assert live_versions.live_version(2023) is None
    for path in (address, f"/v2/public/modifiedLAR/2023/{B}/csv"):
        assert client.head(path).status_code == 404
    assert client.get("/v2/public/modifiedLAR").json()["modifiedLars"] == []
    events = TrailEntry.objects.filter(event="modified LAR withdrawn")
    assert set(events.values_list("lei", "reason")) == {(A, "By order."), (B, "By order.")}
    lar.refresh_from_db()
    lar_requests.publish_lar(lar, by=OLGA, reason="It was right.")
    assert client.head(address).status_code == 200
    with pytest.raises(NotReady):
        lar_requests.publish_lar(lar, by=OLGA, reason="Again.")
    call_command("withdraw", "2023", "--reason", "By order.", "--modified-lars")
    with pytest.raises(CommandError):
        call_command("withdraw", "2023", "--reason", "By order.", "--modified-lars")


def test_a_modified_lar_that_is_signed_again_is_public(client: Client) -> None:
    sign(A, {"income": "1"})
    lar = ModifiedLar.objects.get()
    lar_requests.withdraw_lar(lar, by=OLGA, reason="By order.")
    sign(A, {"income": "2"})
    assert client.head(f"/v2/public/modifiedLAR/2023/{A}/csv").status_code == 200

"""`manage.py remove_demo`: nothing made up stays in use, and what was filed stays on record."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from config import demo, made_up
from config.doctor import data as doctor
from config.management.commands import prepare
from databrowser.models import Publication, PublicImport
from databrowser.publication.versions import live_versions
from filing.access import Caller
from filing.demo import panel
from filing.jobs import queue
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    ReferenceData,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.statuses import FilingStatus, Status
from ratespread.models import AporWeek

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.slow]

LEIS = [facts["lei"] for facts in panel.make_institutions()]


@pytest.fixture(autouse=True)
def _demo(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.BROWSER_YEARS = (2022,)
    call_command("prepare", demo=True)


def remove_demo(*words: str) -> str:
    out = StringIO()
    call_command("remove_demo", *words, stdout=out)
    return out.getvalue()


def doctor_levels() -> list[str]:
    return [message.id or "" for message in doctor.check_made_up_data()]


def test_everything_made_up_goes_out_of_use_once(settings: Any, tmp_path: Path) -> None:
    assert {"Accounts", "Published versions", "Institutions"} <= set(made_up.count_made_up())
    settings.SECURE = True
    assert doctor_levels() == ["made_up.in_use"]
    before = made_up.count_made_up(), TrailEntry.objects.count()
    assert "Dry run" in remove_demo("--dry-run")
    assert (made_up.count_made_up(), TrailEntry.objects.count()) == before

    remove_demo("--reason", "We are live", "--by", "op")
    assert made_up.count_made_up() == {}
    assert doctor_levels() == [""]
    assert not User.objects.filter(is_active=True).exists()
    assert not demo.logins_file().exists()
    assert not live_versions.published_versions().exists()
    assert not PublicImport.objects.filter(active=True).exists()
    assert not Institution.objects.exists()
    assert not FilingPeriod.objects.exists()
    assert not ReferenceData.objects.filter(active=True).exists()
    assert not AporWeek.objects.exists()
    (entry,) = TrailEntry.objects.filter(event=AuditEvent.DEMO_REMOVED)
    assert entry.actor_username == "op"
    graphs = Client().get("/quarterly-data/graphs/applications").json()
    assert graphs["series"] == []

    entries = TrailEntry.objects.count()
    assert "Nothing" in remove_demo()
    assert TrailEntry.objects.count() == entries
    call_command("prepare", demo=True)  # the next start brings nothing back
    assert made_up.count_made_up() == {}


def test_what_was_filed_stays_on_record_and_counts_nowhere() -> None:
    year = prepare.data_year()
    filing = Filing.objects.get(institution__lei=LEIS[0], period__year=year, period__quarter="")
    submission = Submission.objects.create(filing=filing, number=1, status=Status.SIGNED)
    StatusChange.objects.create(submission=submission, event="SIGNED", after=Status.SIGNED)
    Filing.objects.filter(pk=filing.pk).update(status=FilingStatus.COMPLETED)
    remove_demo()
    filing.refresh_from_db()
    assert filing.status == FilingStatus.CANCELLED
    assert filing.institution.is_test
    assert Submission.objects.get().status == Status.SIGNED
    assert StatusChange.objects.filter(submission=submission).exists()
    assert made_up.count_made_up() == {}
    domain = panel.make_institutions()[0]["email_domains"][0]
    found = Client().get(f"/v2/public/institutions?domain={domain}")
    assert LEIS[0] not in found.content.decode()


def test_real_institutions_and_their_season_stay() -> None:
    year = prepare.data_year()
    real = Institution.objects.create(
        activity_year=year, lei="5493001KJTIIGC8Y1R17", name="Bank", agency=9
    )
    period = FilingPeriod.objects.get(year=year, quarter="")
    filing = Filing.objects.create(institution=real, period=period, status=FilingStatus.NOT_STARTED)
    remove_demo()
    filing.refresh_from_db()
    assert filing.status == FilingStatus.NOT_STARTED
    assert [each.lei for each in Institution.objects.filter(is_test=False)] == [real.lei]


def test_a_made_up_version_that_was_replaced_is_withdrawn_and_the_real_one_stays() -> None:
    made, real = live_versions.live_version(2022), None
    assert made is not None
    version = made.version
    real = type(version).objects.get(pk=version.pk)
    real.pk, real.number, real.is_demo = None, version.number + 1, False
    real.job = queue.add_job("publish", notifies=False)
    real.save()
    live_versions.publish_version(real, by=Caller(id="", username="op"), reason="real")
    remove_demo()
    live = live_versions.live_version(2022)
    assert live is not None
    assert live.version == real
    assert [each.name for each in live_versions.public_versions(2022)] == [real.name]
    assert Publication.objects.filter(version=version, what="withdrawn").exists()
    assert live_versions.decisions_against() == {}

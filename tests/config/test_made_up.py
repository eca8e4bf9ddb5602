"""`manage.py remove_demo`: nothing made up stays in use, and what was filed stays on record."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from config import demo, made_up
from config.doctor import data as doctor
from config.management.commands import prepare
from databrowser.models import PublicImport, Version
from databrowser.publication.versions import live_versions
from filing import standing
from filing.access import Caller
from filing.demo import panel
from filing.jobs import queue
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    ReferenceData,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.statuses import FilingStatus, Status
from graphs.demo import loading as graphs
from ratespread.models import AporWeek
from tests import make
from tests.config.doctor.messages import problems

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LEIS = [facts["lei"] for facts in panel.make_institutions()]


@pytest.fixture(autouse=True)
def _demo(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.BROWSER_YEARS = (2022,)
    monkeypatch.setattr(demo, "ROWS", 500)
    monkeypatch.setattr(graphs, "ROWS_A_YEAR", 4_000)
    prepare.prepare_data_folder(demo=True)


def remove_demo(*words: str) -> str:
    out = StringIO()
    call_command("remove_demo", *words, stdout=out)
    return out.getvalue()


def test_everything_made_up_goes_out_of_use_once(settings: Any, tmp_path: Path) -> None:
    call_command("prepare", demo=True)
    assert list(made_up.count_made_up()) == [kind.name for kind in made_up.KINDS]
    settings.SECURE = True
    assert problems(doctor.check_made_up_data) == ["warning made_up.in_use"]
    before = made_up.count_made_up(), TrailEntry.objects.count()
    assert "Dry run" in remove_demo("--dry-run")
    assert (made_up.count_made_up(), TrailEntry.objects.count()) == before

    remove_demo("--reason", "We are live", "--by", "op")
    assert made_up.count_made_up() == {}
    assert problems(doctor.check_made_up_data) == []
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
    assert Client().get("/quarterly-data/graphs/applications").json()["series"] == []

    entries = TrailEntry.objects.count()
    assert "Nothing" in remove_demo()
    assert TrailEntry.objects.count() == entries
    call_command("prepare", demo=True)  # the next start brings nothing back
    assert made_up.count_made_up() == {}


def test_what_was_filed_stays_on_record_and_counts_nowhere() -> None:
    year = prepare.data_year()
    filing = Filing.objects.get(institution__lei=LEIS[0], period__year=year, period__quarter="")
    submission = make.signed(make.submission(filing, uploaded_at=timezone.now()), receipt="r-1")
    StatusChange.objects.create(submission=submission, event="SIGNED", after=Status.SIGNED)
    remove_demo()
    filing.refresh_from_db()
    assert filing.status == FilingStatus.CANCELLED
    assert filing.institution.is_test
    assert Submission.objects.get().status == Status.SIGNED
    assert StatusChange.objects.filter(submission=submission).exists()
    assert Signature.objects.get().receipt == "r-1"
    assert not Submission.objects.filter(standing.is_on_record()).exists()
    assert made_up.count_made_up() == {}
    domain = panel.make_institutions()[0]["email_domains"][0]
    found = Client().get(f"/v2/public/institutions?domain={domain}")
    assert LEIS[0] not in found.content.decode()


def test_real_institutions_and_their_season_stay() -> None:
    year = prepare.data_year()
    filing = make.filing("5493001KJTIIGC8Y1R17", year=year, status=FilingStatus.NOT_STARTED)
    remove_demo()
    filing.refresh_from_db()
    assert filing.status == FilingStatus.NOT_STARTED
    assert [each.lei for each in Institution.objects.filter(is_test=False)] == [
        filing.institution.lei
    ]


def make_version(number: int, *, is_demo: bool) -> Version:
    """Publish a version of 2022 without files."""
    version = Version.objects.create(
        year=2022,
        number=number,
        state=Version.State.BUILT,
        job=queue.add_job("publish", notifies=False),
        folder="versions/2022",
        sha256="0" * 64,
        made_at=timezone.now(),
        rows=1,
        is_demo=is_demo,
    )
    live_versions.publish_version(version, by=Caller(id="", username="op"), reason="A test.")
    return version


def test_made_up_versions_are_withdrawn_also_where_a_real_one_replaced_them() -> None:
    made = [make_version(number, is_demo=True) for number in (1, 2)]
    real = make_version(3, is_demo=False)
    remove_demo()
    live = live_versions.live_version(2022)
    assert live is not None
    assert live.version == real
    assert [each.name for each in live_versions.public_versions(2022)] == [real.name]
    outcomes = {each.version: each.withdrawn for each in live_versions.find_outcomes(2022)}
    assert all(outcomes[version] for version in made)
    assert live_versions.decisions_against() == {}

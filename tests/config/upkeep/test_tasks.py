"""Tasks on the installation: requested by operators, run by a worker, their results kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.urls import reverse

from config import upkeep
from filing.jobs import loop
from filing.models import AuditEvent, ChainCheck, Job, OperatorTask, Submission, TrailEntry
from tests.config.backups.test_making import checked  # noqa: F401 -- a fixture
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
EVIDENCE, BACKUPS = reverse("admin:evidence"), reverse("admin:backups")
WHY = {"reason": "Before the season opens."}


@pytest.fixture
def target(tmp_path: Path, settings: Any) -> Path:
    """An empty folder for backups."""
    cache.clear()
    settings.BACKUP_URL = f"file://{tmp_path}/backups"
    return tmp_path / "backups"


@pytest.fixture
def client() -> Any:
    """The browser of an operator."""
    return signed_in(member("operator"))


def address_of(kind: str, backup: str = "") -> str:
    address = reverse("admin:request_task", args=[kind])
    return f"{address}?backup={backup}" if backup else address


def run_task(client: Any, kind: str, backup: str = "") -> OperatorTask:
    """Request a task with a reason, let a worker run it, and return it."""
    assert client.get(address_of(kind, backup)).status_code == 200
    answer = client.post(address_of(kind, backup), WHY)
    task = OperatorTask.objects.latest("pk")
    assert answer.url == reverse("admin:filing_operatortask_change", args=[task.pk])
    assert b"Progress" in client.get(answer.url).content
    loop.run_job(task.job_id)
    task.refresh_from_db()
    assert task.job.state == Job.State.DONE, task.job.last_error
    assert b"Progress" not in client.get(answer.url).content
    return task


def test_the_audit_log_is_verified_as_a_whole(client: Any) -> None:
    task = run_task(client, upkeep.VERIFY_LOG)
    assert task.is_sound
    assert task.actor_username == "operator"
    page = client.get(EVIDENCE)
    assert page.context["last"] == ChainCheck.objects.get()
    assert page.context["last"].is_full
    assert page.context["tasks"] == [task]
    events = [AuditEvent.TASK_REQUESTED, AuditEvent.TASK_ENDED]
    requested, ended = TrailEntry.objects.filter(event__in=events).order_by("pk")
    assert (requested.actor_username, requested.reason) == ("operator", WHY["reason"])
    assert (ended.actor_username, ended.about) == ("", requested.about)


def test_receipts_are_verified() -> None:
    task = run_task(signed_in(member("administrator")), upkeep.VERIFY_RECEIPTS)
    assert task.is_sound is not None


@pytest.mark.servers
def test_a_backup_is_made_listed_and_verified(
    client: Any, checked: Submission, target: Path
) -> None:
    assert client.get(BACKUPS).context["is_late"]
    made = run_task(client, upkeep.BACK_UP)
    assert made.is_sound, made.details
    page = client.get(BACKUPS)
    [row] = page.context["backups"]
    assert (row.manifest.id, row.verified, page.context["is_late"]) == (made.about, None, False)
    verified = run_task(client, upkeep.VERIFY_BACKUP, made.about)
    assert verified.is_sound
    assert verified.job.rows_done == row.manifest.file_count
    [row] = client.get(BACKUPS).context["backups"]
    assert row.verified == verified


def test_a_damaged_backup_is_found(client: Any, checked: Submission, target: Path) -> None:
    made = run_task(client, upkeep.BACK_UP)
    (target / "backups" / made.about / "database").write_bytes(b"damaged")
    task = run_task(client, upkeep.VERIFY_BACKUP, made.about)
    assert not task.is_sound
    assert task.details
    missing = run_task(client, upkeep.VERIFY_BACKUP, "20200101T000000Z")
    assert (missing.is_sound, bool(missing.summary)) == (False, True)


def test_an_overdue_backup_is_pointed_out(
    client: Any, checked: Submission, target: Path, settings: Any
) -> None:
    settings.BACKUP_URL = ""
    assert not client.get(BACKUPS).context["is_set"]
    settings.BACKUP_URL = "nonsense://x"
    assert client.get(BACKUPS).context["problem"]
    task = run_task(client, upkeep.BACK_UP)
    assert not task.is_sound


@pytest.mark.slow
def test_a_drill_restores_in_a_place_of_its_own(
    client: Any, checked: Submission, target: Path, settings: Any
) -> None:
    made = run_task(client, upkeep.BACK_UP)
    before = (Submission.objects.count(), TrailEntry.objects.count())
    task = run_task(client, upkeep.DRILL, made.about)
    assert task.is_sound, task.summary
    assert any("was restored" in line for line in task.details)
    assert not list(Path(settings.FILE_UPLOAD_TEMP_DIR).glob("drill-*"))
    assert default_storage.exists(checked.raw_file)
    # The live database has the entries about the drill alone.
    assert Submission.objects.count() == before[0]
    assert not TrailEntry.objects.filter(event=AuditEvent.BACKUP_RESTORED).exists()


@pytest.mark.servers
def test_one_task_of_a_kind_runs_at_a_time(client: Any) -> None:
    client.post(address_of(upkeep.VERIFY_LOG), WHY)
    again = client.post(address_of(upkeep.VERIFY_LOG), WHY, follow=True)
    assert [str(message) for message in again.context["messages"]]
    assert OperatorTask.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "backup", "form"),
    [
        (upkeep.VERIFY_LOG, "", {"reason": " "}),
        (upkeep.VERIFY_BACKUP, "", WHY),
        (upkeep.BACK_UP, "20200101T000000Z", WHY),
        (upkeep.DRILL, "../../etc/" + "x" * 200, WHY),
    ],
)
def test_what_is_incomplete_is_refused(
    client: Any, kind: str, backup: str, form: dict[str, str]
) -> None:
    client.post(address_of(kind, backup), form)
    assert not OperatorTask.objects.exists()


def test_the_help_desk_reads_and_requests_nothing() -> None:
    client: Any = signed_in(member("help desk"))
    assert client.get(EVIDENCE).status_code == client.get(BACKUPS).status_code == 200
    for address in (address_of(upkeep.VERIFY_LOG), reverse("admin:request_rotation")):
        assert client.get(address).status_code == 403
        assert client.post(address, WHY).status_code == 403
    page = client.get(EVIDENCE).content.decode()
    assert address_of(upkeep.VERIFY_LOG) not in page
    assert client.get(address_of("nothing")).status_code == 403
    operator: Any = signed_in(member("operator"))
    assert operator.get(address_of("nothing")).status_code == 404

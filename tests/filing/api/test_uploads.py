"""Resumable uploads over the API: each status, and what it leaves."""

from __future__ import annotations

import hashlib
import io
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from filing.jobs import claims, sweeper
from filing.models import Job, ResumableUpload, StatusChange, Submission
from filing.statuses import Status
from filing.submissions import interventions, resumable_uploads, upload_parts
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.submissions.resuming import VERSION, F, Sending, begin, begun, checksum
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(submission: Submission) -> Client:
    return make.program(leis=[LEI])


def status_of(submission: Submission) -> int:
    return Submission.objects.get(pk=submission.pk).status


def events(submission: Submission) -> list[str]:
    return list(StatusChange.objects.filter(submission=submission).values_list("event", flat=True))


@pytest.fixture(autouse=True)
def empty_storage(settings: Any, tmp_path: Path) -> None:
    """Each test has stored files of its own."""
    files = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": files}


def content_of(name: str) -> bytes:
    with default_storage.open(name) as file:
        return bytes(file.read())


def stored(folder: str) -> list[str]:
    root = Path(default_storage.path(folder))
    return sorted(path.name for path in root.rglob("*") if path.is_file())


def folder(submission: Submission) -> str:
    return f"submissions/{submission.lei}/2024/1"


def test_a_file_in_parts_is_received_as_a_whole_one(client, submission):
    content = register()
    upload = begun(client, len(content))
    assert status_of(submission) == Status.UPLOADING
    assert upload.offset() == 0
    for begin_at, end_at in ((0, 1000), (1000, 1001), (1001, len(content))):
        answer = upload.patch(content[begin_at:end_at], begin_at)
        assert (answer.status_code, answer["Upload-Offset"]) == (204, str(end_at))
        assert answer["Tus-Resumable"] == "1.0.0"
    done = Submission.objects.get(pk=submission.pk)
    assert done.status == Status.UPLOADED
    assert (done.file_name, done.size) == ("lar.txt", len(content))
    assert done.sha256 == hashlib.sha256(content).hexdigest()
    assert content_of(done.raw_file) == content
    assert stored(folder(submission)) == ["raw.txt"]
    assert events(submission) == ["CREATED", "UPLOAD_STARTED", "UPLOAD_FINISHED"]
    by = StatusChange.objects.filter(submission=submission, event="UPLOAD_FINISHED").get()
    assert by.actor_username == "ann"
    assert Job.objects.get(submission=submission, stage="parse").state == Job.State.QUEUED
    assert upload.offset() == len(content)
    assert upload.patch(b"", len(content)).status_code == 204  # the last answer was lost
    assert upload.patch(b"x", len(content)).status_code == 413
    assert upload.delete().status_code == 409


def test_what_the_service_offers(client):
    for address in (f"{F}/submissions/1/uploads", f"{F}/submissions/1/uploads/{'0' * 32}"):
        answer = client.options(address)
        assert answer.status_code == 204
        assert {name: answer[name] for name in answer.headers if name.startswith("Tus")} == {
            "Tus-Resumable": "1.0.0",
            "Tus-Version": "1.0.0",
            "Tus-Extension": "creation,checksum,termination",
            "Tus-Max-Size": str(2 * 1024**3),
            "Tus-Checksum-Algorithm": "sha256",
        }


def test_the_headers_of_each_answer(client):
    upload = begun(client, 10)
    at = f"{F}/submissions/1/uploads/"
    answers = {
        "another": begin(client, 10),
        "head": upload.head(),
        "patch": upload.patch(b"1|a", 0),
        "wrong": upload.patch(b"1|a", 1),
        "end": upload.delete(),
    }
    assert upload.address.startswith(at)
    assert len(upload.address.removeprefix(at)) == 32
    headers = {
        name: {key: answer[key] for key in answer.headers if key.startswith("Upload-")}
        for name, answer in answers.items()
    }
    assert headers == {
        "another": {},
        "head": {
            "Upload-Offset": "0",
            "Upload-Length": "10",
            "Upload-Metadata": "filename bGFyLnR4dA==",
        },
        "patch": {"Upload-Offset": "3"},
        "wrong": {},
        "end": {},
    }
    for answer in answers.values():
        assert (answer["Tus-Resumable"], answer["Cache-Control"]) == ("1.0.0", "no-store")


@pytest.mark.parametrize("version", ["", "0.2.2"])
def test_another_version_is_refused(client, version):
    upload = begun(client, 10)
    answers = [
        begin(client, 10, **{"Tus-Resumable": version}),
        upload.patch(b"1", 0, **{"Tus-Resumable": version}),
        upload.head(**{"Tus-Resumable": version}),
    ]
    for answer in answers:
        assert (answer.status_code, answer["Tus-Version"]) == (412, "1.0.0")
    assert "send 1.0.0" in error_of(answers[0])["message"]
    assert upload.offset() == 0


@pytest.mark.parametrize(
    ("length", "name", "status", "said"),
    [
        ("", "lar.txt", 400, "The header Upload-Length must be a number of bytes."),
        ("-1", "lar.txt", 400, "The header Upload-Length must be a number of bytes."),
        (0, "lar.txt", 400, "Invalid file format: The file is empty"),
        (2 * 1024**3 + 1, "lar.txt", 413, "larger than 2147483648 bytes"),
        (10, "lar.csv", 400, 'The name "lar.csv" does not end in .txt'),
        (10, "a\0.txt", 400, "Upload-Metadata must have the name"),
    ],
)
def test_a_file_is_refused_at_the_beginning(client, submission, length, name, status, said):
    answer = begin(client, length, name)
    assert answer.status_code == status
    assert said in error_of(answer)["message"]
    assert status_of(submission) == Status.CREATED
    assert not ResumableUpload.objects.exists()


@pytest.mark.parametrize("text", ["", "filename !!", "filename /w==", "other YQ=="])
def test_a_file_without_a_readable_name_is_refused(client, text):
    answer = begin(client, 10, **{"Upload-Metadata": text})
    assert answer.status_code == 400


def test_a_submission_has_one_open_upload(client, submission):
    first = begun(client, 10)
    answer = begin(client, 10)
    assert answer.status_code == 409
    assert "has an open upload" in error_of(answer)["message"]
    assert first.patch(b"1|2", 0).status_code == 204
    assert begin(client, 10).status_code == 409


def test_a_submission_with_a_file_takes_no_other(client, submission):
    assert begun(client, 3).patch(b"1|2", 0).status_code == 204
    answer = begin(client, 10)
    assert answer.status_code == 400
    assert "not available for upload" in error_of(answer)["message"]


@pytest.mark.parametrize(
    ("data", "offset", "headers", "status"),
    [
        *((b"x", offset, {}, 409) for offset in (3, 5)),
        *((b"x", offset, {}, 400) for offset in ("", "-1")),
        *((b"12345", 4, {"Upload-Checksum": text}, 400) for text in ("md5 AAAA", "sha256 !")),
        (b"1" * 7, 4, {}, 413),  # one byte more than was announced
        (b"1", 4, {"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_part_that_does_not_fit_is_refused_and_changes_nothing(
    client, data, offset, headers, status
):
    upload = begun(client, 10)
    assert upload.patch(b"abcd", 0).status_code == 204
    assert upload.patch(data, offset, **headers).status_code == status
    assert upload.offset() == 4


def test_bytes_with_a_wrong_checksum_are_thrown_away(client, submission):
    upload = begun(client, 10)
    answer = upload.patch(b"12345", 0, **{"Upload-Checksum": checksum(b"12346")})
    assert (answer.status_code, answer.reason_phrase) == (460, "Checksum Mismatch")
    assert error_of(answer)["httpStatus"] == 460
    assert upload.offset() == 0
    good = upload.patch(b"12345", 0, **{"Upload-Checksum": checksum(b"12345")})
    assert (good.status_code, upload.offset()) == (204, 5)
    assert len(stored(folder(submission))) == 1


def test_a_body_of_unknown_length_is_refused(client):
    upload = begun(client, 10)
    answer = client.generic(
        "PATCH",
        upload.address,
        headers={"Upload-Offset": "0", "Tus-Resumable": "1.0.0"},
        CONTENT_TYPE="application/offset+octet-stream",
    )
    assert answer.status_code == 411


def test_an_upload_that_is_ended_leaves_nothing(client, submission):
    upload = begun(client, 10)
    assert upload.patch(b"12345", 0).status_code == 204
    assert upload.delete().status_code == 204
    assert status_of(submission) == Status.CREATED
    assert events(submission)[-1] == "UPLOAD_REFUSED"
    assert stored(folder(submission)) == []
    assert [upload.head().status_code, upload.patch(b"6", 5).status_code] == [404, 404]
    assert upload.delete().status_code == 404
    assert begun(client, 3).patch(b"1|2", 0).status_code == 204
    assert status_of(submission) == Status.UPLOADED


def test_lines_are_counted_over_all_parts(client, submission):
    upload = begun(client, 100)
    assert upload.patch(b"1|a\n2|b\n", 0).status_code == 204
    answer = upload.patch(b"2|c\n2|\0", 8)
    assert "Line 4 holds a NUL byte" in error_of(answer)["message"]


def test_a_beginning_in_tiny_parts_is_looked_at_as_well(client, submission):
    data = b"%PDF-1.7"
    upload = begun(client, len(data))
    for at, byte in enumerate(data[:-1]):
        assert upload.patch(bytes([byte]), at).status_code == 204
    answer = upload.patch(data[-1:], len(data) - 1)
    assert "PDF" in error_of(answer)["message"]
    assert status_of(submission) == Status.CREATED


def test_a_small_part_behind_a_large_one_grows_and_the_large_one_stays(client, submission):
    large = upload_parts.SMALL_PART_BYTES
    data = (register() + b"\n2|" * large)[: large + 20]
    upload = begun(client, len(data))
    assert upload.patch(data[:large], 0).status_code == 204
    (first,) = ResumableUpload.objects.get().parts.all()
    for at in range(large, large + 10):
        assert upload.patch(data[at : at + 1], at).status_code == 204
    parts = ResumableUpload.objects.get().parts.order_by("offset")
    assert [(part.offset, part.size) for part in parts] == [(0, large), (large, 10)]
    assert parts[0].stored_as == first.stored_as
    assert upload.patch(data[large + 10 :], large + 10).status_code == 204
    assert content_of(Submission.objects.get(pk=submission.pk).raw_file) == data


class SlowLine(io.BytesIO):
    """A body of which a piece arrives now and then, until the line is lost.

    It waits, as the web server does, until it has as many bytes as are read.
    """

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None
        time.sleep(size / 8_000)  # bytes a second
        if size > len(self.getvalue()) - self.tell():
            raise TimeoutError("The line was lost.")
        return super().read(size)


def test_what_arrived_slowly_is_kept_when_the_line_is_lost(client, submission):
    upload = begun(client, 100_000)
    line = SlowLine((register() * 10)[:6_000])
    answer = client.generic(
        "PATCH",
        upload.address,
        headers={"Upload-Offset": "0", **VERSION},
        CONTENT_TYPE="application/offset+octet-stream",
        CONTENT_LENGTH="100000",
        **{"wsgi.input": line},
    )
    assert answer.status_code == 204
    assert int(answer["Upload-Offset"]) >= 5_000
    assert upload.offset() == int(answer["Upload-Offset"])


def test_only_users_of_the_institution_upload(client, submission):
    other = make.program("otto", leis=["529900OTHERBANK00017"])
    assert begin(other, 10).status_code == 403
    upload = begun(client, 10)
    theirs = Sending(other, upload.address)
    assert [theirs.head().status_code, theirs.patch(b"1", 0).status_code] == [403, 403]
    assert theirs.delete().status_code == 403
    unknown = Sending(Client(), upload.address)
    assert [unknown.head().status_code, unknown.patch(b"1", 0).status_code] == [401, 401]
    colleague = Sending(make.program("bob", leis=[LEI]), upload.address)
    assert colleague.patch(b"1", 0).status_code == 204


def test_unknown_addresses_are_not_found(client, submission):
    assert Sending(client, f"{F}/submissions/1/uploads/{'0' * 32}").head().status_code == 404
    assert Sending(client, f"{F}/submissions/9/uploads/{'0' * 32}").head().status_code == 404
    assert client.post(f"{F}/submissions/9/uploads").status_code == 404


def test_a_second_sender_waits_while_bytes_arrive(client, submission):
    upload = begun(client, 10)
    lease = claims.take_over_job(submission, "upload", quiet_seconds=0)
    answer = upload.patch(b"1", 0)
    assert (answer.status_code, answer["Retry-After"]) == (423, "5")
    silent = timezone.now() - timedelta(seconds=resumable_uploads.QUIET_SECONDS)
    Job.objects.filter(pk=lease.job_id).update(heartbeat=silent)
    assert upload.patch(b"1", 0).status_code == 204


def later(hours: float) -> None:
    """Let time pass for the upload and its lease."""
    by = timedelta(hours=hours)
    for upload in ResumableUpload.objects.all():
        ResumableUpload.objects.filter(pk=upload.pk).update(used_at=upload.used_at - by)
    for job in Job.objects.filter(stage="upload", lease_until__isnull=False):
        Job.objects.filter(pk=job.pk).update(lease_until=job.lease_until - by)


def test_an_upload_that_is_not_continued_for_a_day_ends(
    client, submission, django_capture_on_commit_callbacks
):
    upload = begun(client, 10)
    assert upload.patch(b"12345", 0).status_code == 204
    later(23)
    sweeper.sweep_jobs()
    assert (status_of(submission), upload.offset()) == (Status.UPLOADING, 5)
    later(1.1)
    with django_capture_on_commit_callbacks(execute=True):
        sweeper.sweep_jobs()
    assert status_of(submission) == Status.CREATED
    last = StatusChange.objects.filter(submission=submission).last()
    assert (last.event, last.reason) == (
        "UPLOAD_ABANDONED",
        "The upload was not continued for 24 hours.",
    )
    assert stored(folder(submission)) == []
    assert upload.head().status_code == 404
    later(25)
    assert resumable_uploads.clear_ended_uploads() == 1
    assert not ResumableUpload.objects.exists()


def test_an_upload_goes_on_after_its_process_was_killed(client, submission):
    upload = begun(client, 10)
    assert upload.patch(b"12345", 0).status_code == 204
    assert claims.take_over_job(submission, "upload", quiet_seconds=0)  # and nothing more
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    sweeper.sweep_jobs()
    assert (status_of(submission), upload.offset()) == (Status.UPLOADING, 5)
    assert upload.patch(b"67890", 5).status_code == 204
    assert status_of(submission) == Status.UPLOADED


@pytest.fixture
def unjoined(client: Client, submission: Submission, monkeypatch: Any) -> Sending:
    """An upload whose process was killed after the last byte."""
    upload = begun(client, 6)
    assert upload.patch(b"1|a", 0).status_code == 204
    with monkeypatch.context() as patch:
        patch.setattr(resumable_uploads, "_finish", lambda *args, **more: None)
        assert upload.patch(b"\n2|", 3).status_code == 204
    assert status_of(submission) == Status.UPLOADING
    return upload


@pytest.mark.parametrize("way", ["head", "patch", "sweeper"])
def test_a_complete_upload_is_finished_by_whoever_comes_next(unjoined, submission, way):
    if way == "head":
        assert unjoined.offset() == 6
    elif way == "patch":
        assert unjoined.patch(b"", 6).status_code == 204
    else:
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        sweeper.sweep_jobs()
    done = Submission.objects.get(pk=submission.pk)
    assert done.status == Status.UPLOADED
    assert content_of(done.raw_file) == b"1|a\n2|"
    last = StatusChange.objects.filter(submission=submission).last()
    assert last.actor_username == "ann"
    assert stored(folder(submission)) == ["raw.txt"]


def test_an_upload_whose_parts_are_gone_begins_again(unjoined, submission):
    for part in ResumableUpload.objects.get().parts.all()[:1]:
        default_storage.delete(part.stored_as)
    assert unjoined.head().status_code == 400
    assert status_of(submission) == Status.CREATED


def test_when_staff_stop_the_submission_the_upload_is_over(client, submission, filer):
    upload = begun(client, 10)
    assert upload.patch(b"12345", 0).status_code == 204
    current = Submission.objects.get(pk=submission.pk)
    interventions.stop_submission(current, by=filer, reason="A test file.")
    assert upload.patch(b"67890", 5).status_code == 404
    later(25)
    assert resumable_uploads.clear_ended_uploads() == 1
    assert stored(folder(submission)) == []


def test_pages_of_other_sites_may_send_and_read_the_headers(client, submission):
    asked = {"origin": "https://bank.example", "access-control-request-method": "PATCH"}
    answer = Client().options(f"{F}/submissions/1/uploads", headers=asked)
    assert "PATCH" in answer["Access-Control-Allow-Methods"]
    for name in ("tus-resumable", "upload-offset", "upload-checksum", "idempotency-key"):
        assert name in answer["Access-Control-Allow-Headers"]
    answer = begin(client, 10, origin="https://bank.example")
    for name in ("location", "upload-offset", "tus-resumable", "idempotency-replayed"):
        assert name in answer["Access-Control-Expose-Headers"]


def test_very_small_parts_are_one_file_and_one_row(client, submission):
    data = register()
    upload = begun(client, len(data))
    for at in range(12):
        assert upload.patch(data[at : at + 1], at).status_code == 204
        assert ResumableUpload.objects.get().parts.count() == 1
        assert len(stored(folder(submission))) == 1
    assert upload.patch(data[12:], 12).status_code == 204
    stored_file = Submission.objects.get(pk=submission.pk).raw_file
    assert content_of(stored_file) == data

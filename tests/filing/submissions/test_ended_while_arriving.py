"""A person whose access ends while a file arrives: nothing more of it is received."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from filing import access, submissions
from filing.access import SERVICE
from filing.models import Membership, Submission
from filing.people import memberships
from filing.statuses import Status
from filing.submissions import resumable_uploads
from filing.submissions.reception import ReceivedFile, RightEnded
from tests.conftest import LEI
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(submission: Submission) -> User:
    user = User.objects.create_user("ann", "ann@bank.example")
    Membership.objects.create(user=user, lei=LEI)
    return user


def end_access(user: User) -> None:
    membership = Membership.objects.get(user=user)
    memberships.end_right(membership, by=SERVICE, reason="Left.", by_staff=False)


def is_open_again(submission: Submission) -> bool:
    submission = Submission.objects.get(pk=submission.pk)
    return submission.status == Status.CREATED and not submission.raw_file


def test_a_file_in_one_request_is_refused_at_its_end(
    submission: Submission, ann: User, tmp_path: Path
) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(register())
    file = ReceivedFile(path, "lar.txt", path.stat().st_size, "0" * 64)

    def receive() -> None:
        with submissions.Reception(submission, by=access.caller_of(ann)).opened() as reception:
            end_access(ann)
            reception.store(file)

    with pytest.raises(RightEnded):
        receive()
    assert is_open_again(submission)


def test_an_upload_in_parts_is_refused_with_its_last_part(
    submission: Submission, ann: User
) -> None:
    by, content = access.caller_of(ann), register()
    upload = resumable_uploads.begin_upload(submission, name="lar.txt", length=len(content), by=by)

    def arrive() -> Iterator[bytes]:
        yield content[:1000]
        end_access(ann)
        yield content[1000:]

    with pytest.raises(RightEnded):
        resumable_uploads.append_to_upload(upload, arrive(), size=len(content), by=by)
    assert is_open_again(submission)
    assert resumable_uploads.find_open_upload(submission) is None

"""Names of uploaded files: a text that is kept, and never a path or a header."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing.models import Submission
from tests.filing.pages.steps import FILING, begin, member, signed_in
from tests.filing.submissions.resuming import Sending, caller
from tests.filing.submissions.resuming import begin as begin_in_parts
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db

NAMES = [
    "../../../outside.txt",
    "C:\\outside.txt",
    "%2e%2e%2foutside.txt",
    'a"; filename="b.html.txt',
    "a\r\nSet-Cookie: b=c.txt",
    "ü€.txt",
]


@pytest.fixture(autouse=True)
def empty_storage(settings: Any, tmp_path: Path) -> Path:
    """Each test has stored files of its own, in a folder below another."""
    root = tmp_path / "deep" / "below" / "stored"
    files = {**settings.STORAGES["default"], "OPTIONS": {"location": str(root)}}
    settings.STORAGES = {**settings.STORAGES, "default": files}
    return root


def inside_and_outside(tmp_path: Path) -> tuple[list[str], list[Path]]:
    root = Path(default_storage.path(""))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    return (
        sorted(str(path.relative_to(root)) for path in files if path.is_relative_to(root)),
        [path for path in files if not path.is_relative_to(root)],
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_no_other_place(submission: Submission, tmp_path: Path, name: str) -> None:
    client, content = caller(), register()
    answer = begin_in_parts(client, len(content), name)  # which sends any name as it is
    assert answer.status_code == 201, answer.content
    sending = Sending(client, answer["Location"])
    assert sending.patch(content, 0).status_code == 204
    submission.refresh_from_db()
    assert submission.file_name == name
    (stored,), outside = inside_and_outside(tmp_path)
    assert not outside
    assert stored == submission.raw_file
    assert stored.startswith(f"submissions/{submission.lei}/2024/1/upload-")
    assert stored.endswith("/raw.txt")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_writes_no_header_of_its_own(institution: Any, open_period: Any, name: str) -> None:
    sent = {"file": SimpleUploadedFile("lar.txt", register()), "year": "2024", "format": "csv"}
    sent["file"].name = name
    answer = Client().post("/tools/check-file/", sent)
    assert answer.status_code == 200
    header = answer["Content-Disposition"]
    assert "\r" not in header
    assert "\n" not in header
    assert not answer.cookies.get("b")
    value = header.removeprefix("attachment; filename")
    # Either one quoted text in which no quote ends it, or one in the encoding of RFC 5987.
    quoted = value.removeprefix('="').removesuffix('"').replace("\\\\", "").replace('\\"', "")
    assert '"' not in quoted if value.startswith('="') else value.startswith("*=utf-8''")
    b"".join(answer.streaming_content)


def test_the_filed_file_is_saved_under_a_name_of_ours(institution: Any, open_period: Any) -> None:
    browser = signed_in(member("ann", institution.lei))
    file = SimpleUploadedFile("lar.txt", register())
    file.name = 'a"; filename="b.html.txt'
    assert browser.post(begin(browser), {"file": file}).status_code == 303
    answer = browser.get(f"{FILING}1/file/")
    assert answer["Content-Disposition"] == f'attachment; filename="{institution.lei}-2024-1.txt"'
    b"".join(answer.streaming_content)

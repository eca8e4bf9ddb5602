"""Who sends a stored file, and what the answer says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.test import RequestFactory

from config import server_addresses
from filing.files import responses
from filing.submissions import downloads
from tests.buckets import a_bucket

pytestmark = pytest.mark.django_db
STORED = "submissions/5299/2024 Q1/1/raw%.txt"
NAME = 'Großbank "A".txt'
REQUESTS = RequestFactory()


@pytest.fixture
def file(tmp_path: Path, settings: Any) -> Path:
    settings.STORAGES = {
        **settings.STORAGES,
        "default": server_addresses.storage_settings(f"file://{tmp_path}/files"),
    }
    default_storage.save(STORED, ContentFile(b"1|2|3\n"))
    return Path(default_storage.path(STORED))


def content(response: Any) -> bytes:
    """Return what the service sends."""
    try:
        return b"".join(response.streaming_content)
    finally:
        response.close()


def sent(request: Any) -> Any:
    return downloads.answer_with_text(request, STORED, NAME)


@pytest.mark.parametrize("way", ["x-accel-redirect", "x-sendfile"])
def test_a_proxy_sends_it_under_the_same_name_and_type(file: Path, settings: Any, way: str) -> None:
    streamed = sent(REQUESTS.get("/"))
    streamed.close()
    settings.DOWNLOADS = way
    response = sent(REQUESTS.get("/", headers={"Authorization": "Bearer x"}))
    assert (response.status_code, response.content) == (200, b"")
    for header in ("Content-Type", "Content-Disposition", "X-Content-Type-Options"):
        assert response[header] == streamed[header]
    if way == "x-sendfile":
        assert response["X-Sendfile"] == str(file).replace("%", "%25").replace(" ", "%20")
    else:
        assert response["X-Accel-Redirect"] == (
            "/stored-files/submissions/5299/2024%20Q1/1/raw%25.txt"
        )


def test_a_bucket_sends_it_to_browsers_and_not_to_programs_with_a_token(
    settings: Any, tmp_path: Path
) -> None:
    settings.LOCAL_COPIES = tmp_path
    settings.DOWNLOADS = "presigned"
    with a_bucket("files") as url:
        settings.STORAGES = {**settings.STORAGES, "default": server_addresses.storage_settings(url)}
        default_storage.save(STORED, ContentFile(b"1|2|3\n"))
        response = sent(REQUESTS.get("/"))
        assert (response.status_code, response["Cache-Control"]) == (302, "no-store")
        answer = httpx.get(response["Location"], trust_env=False)
        assert (answer.status_code, answer.content) == (200, b"1|2|3\n")
        assert answer.headers["Content-Type"] == responses.TEXT
        named = responses.make_attachment(NAME, HttpResponse())
        assert answer.headers["Content-Disposition"] == named["Content-Disposition"]
        assert f"X-Amz-Expires={responses.ADDRESS_SECONDS}" in response["Location"]
        with_token = REQUESTS.get("/", headers={"Authorization": "Bearer x"})
        for request in (with_token, REQUESTS.post("/"), REQUESTS.head("/")):
            assert content(sent(request)) == b"1|2|3\n"


@pytest.mark.parametrize("way", ["x-accel-redirect", "x-sendfile", "presigned"])
def test_where_a_way_does_not_fit_the_storage_the_service_sends_it(
    file: Path, settings: Any, tmp_path: Path, way: str
) -> None:
    settings.DOWNLOADS = way
    if way == "presigned":
        assert content(sent(REQUESTS.get("/"))) == b"1|2|3\n"
        return
    settings.LOCAL_COPIES = tmp_path
    with a_bucket("files") as url:
        settings.STORAGES = {**settings.STORAGES, "default": server_addresses.storage_settings(url)}
        default_storage.save(STORED, ContentFile(b"4|5|6\n"))
        assert content(sent(REQUESTS.get("/"))) == b"4|5|6\n"

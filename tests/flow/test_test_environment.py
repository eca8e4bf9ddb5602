"""The test environment: one setting, and signing does not exist."""

from __future__ import annotations

import pytest

from tests.flow.conftest import FILE_BYTES
from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("period", ["2024", "2024-Q1"])
def test_there_is_no_signature_no_receipt_and_no_summary(limits, period):
    with Filer.of(limits, period) as filer:
        assert filer.file(lar(filer, rows=40))["status"]["code"] == 14
        for method, path in (("POST", "/sign"), ("GET", "/sign"), ("GET", "/summary")):
            answer = filer.call(method, f"/submissions/1{path}", json={"signed": True})
            assert answer.status_code == 404
            assert answer.json()["httpStatus"] == 404
        assert filer.state()["status"]["code"] == 14


def test_nine_says_nothing_of_verification(limits):
    with Filer.of(limits, "2024") as filer:
        status = filer.file(lar(filer, rows=40, fail=("V611",)))["status"]
        assert status["code"] == 9
        assert "verif" not in status["description"]


def test_a_file_over_the_limit_is_refused_with_the_limit_and_may_be_tried_again(limits):
    with Filer.of(limits, "2024") as filer:
        filer.begin()
        # The first says of itself that it is too large, the second is found out while it arrives.
        whole = lar(filer, rows=2_000)
        for content in (whole, whole[: FILE_BYTES + 10_000]):
            answer = filer.upload(content)
            assert answer.status_code == 413
            assert f"{FILE_BYTES} bytes" in answer.json()["message"]
            assert filer.state()["status"]["code"] == 1
        assert filer.upload(lar(filer, rows=40)).status_code == 202


def test_the_api_document_has_no_signing(limits):
    with limits.client("") as client:
        paths = client.get(f"{limits.url}/docs/openapi.json").text
    assert "/sign" not in paths

"""The test environment: one setting, and signing does not exist."""

from __future__ import annotations

import pytest

from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow


def test_there_is_no_signature_no_receipt_and_no_summary(limits):
    with Filer.of(limits, "2024-Q1") as filer:
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


def test_the_api_document_has_no_signing(limits):
    with limits.client("") as client:
        paths = client.get(f"{limits.url}/docs/openapi.json").text
    assert "/sign" not in paths

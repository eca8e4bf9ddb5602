"""Files in S3-compatible storage: one setting, and everything else is the same."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter

import httpx

from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.publishing import published


def test_a_filing_goes_all_the_way_with_its_files_in_a_bucket(
    bucket: Service,
) -> None:
    with Filer.of(bucket, "2024") as filer:
        content = lar(filer, rows=100, fail=("Q611:23",))
        assert filer.file(content)["status"]["code"] == 11
        second = filer.call("GET", "/submissions/1/edits/Q611?page=2").json()
        assert (second["count"], second["total"]) == (3, 23)
        assert filer.call("GET", "/submissions/1/edits/csv").text.count("Q611") == 23
        assert filer.verify("quality").json()["status"]["code"] == 14
        assert filer.sign().status_code == 200
        rows = published(bucket, f"/v2/public/modifiedLAR/2024/{filer.lei}/csv/header")
        assert rows.text.count("\n") == 1 + 100
        _browse(bucket, rows.text.splitlines())
    with Filer.of(bucket, "2024") as filer:
        assert filer.file(content[:-100])["status"]["code"] == 5
        assert filer.call("GET", "/submissions/1/parseErrors").json()["total"] == 1
    assert not (bucket.data_dir / "files").exists()


def _browse(service: Service, lines: list[str]) -> None:
    """Build the data set of the year from a modified LAR, and find its loans in the browser."""
    assert "100 records of 1 institution. Published." in service.manage("publish", "2024")
    signed = Counter(row["action_taken"] for row in csv.DictReader(lines))
    asked = "years=2024&actions_taken=1,2,3,4,5,6,7,8"
    browser = "/v2/data-browser-api/view/nationwide"
    with httpx.Client(base_url=service.url) as client:
        groups = client.get(f"{browser}/aggregations?{asked}").json()["aggregations"]
        assert {each["actions_taken"]: each["count"] for each in groups if each["count"]} == signed
        assert client.get(f"{browser}/csv?{asked}").text.count("\n") == 1 + 100
        files = client.get("/v2/public/publications/2024").json()["files"]
        assert len(files) == 4
        for file in files:
            content = client.get(file["href"]).content
            assert hashlib.sha256(content).hexdigest() == file["sha256"]

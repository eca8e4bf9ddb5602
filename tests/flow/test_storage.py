"""Files in S3-compatible storage: one setting, and everything else is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from config.stack import free_port
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.test_modified import published

BUCKET = "filings"


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of an empty bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port())
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    client = boto3.client(
        "s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1", **keys
    )
    client.create_bucket(Bucket=BUCKET)
    yield f"s3://key:secret@{host}:{port}/{BUCKET}?secure=false&region=us-east-1"
    server.stop()


def test_a_filing_goes_all_the_way_with_its_files_in_a_bucket(
    run_service: Callable[..., Service], bucket: str
):
    service = run_service(STORAGE_URL=bucket)
    service.manage_all(["load_census", "2024", "--demo"], ["open_season", "2024", *service.always])
    with Filer.of(service, "2024") as filer:
        content = lar(filer, rows=100, fail=("Q611:23",))
        assert filer.file(content)["status"]["code"] == 11
        second = filer.call("GET", "/submissions/1/edits/Q611?page=2").json()
        assert (second["count"], second["total"]) == (3, 23)
        assert filer.call("GET", "/submissions/1/edits/csv").text.count("Q611") == 23
        assert filer.verify("quality").json()["status"]["code"] == 14
        assert filer.sign().status_code == 200
        rows = published(service, f"/v2/public/modifiedLAR/2024/{filer.lei}")
        assert rows.text.count("\n") == 100
    with Filer.of(service, "2024") as filer:
        assert filer.file(content[:-100])["status"]["code"] == 5
        assert filer.call("GET", "/submissions/1/parseErrors").json()["total"] == 1
    assert not (service.data_dir / "files").exists()
    service.end()

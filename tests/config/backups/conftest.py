"""Targets of backups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from config.backups.targets import Folder, Target
from config.management.backup_archives import target_at
from config.running.supervisor import free_port


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """The address of an empty bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port())
    server.start()
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    client = boto3.client(
        "s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1", **keys
    )
    client.create_bucket(Bucket="backups")
    yield f"s3://key:secret@{host}:{port}/backups/of/hmda?secure=false&region=us-east-1"
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    """A folder, then a bucket."""
    if request.param == "folder":
        return Folder(tmp_path / "backups")
    return target_at(request.getfixturevalue("bucket"))

"""Buckets of a server that speaks the protocol of S3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from config.running.supervisor import free_port

_KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}


@contextmanager
def a_server() -> Iterator[str]:
    """Yield the address of a server without buckets, as host and port."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port())
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"{host}:{port}"
    finally:
        server.stop()


def client_of(server: str) -> Any:
    """Return a client of a server."""
    return boto3.client("s3", endpoint_url=f"http://{server}", region_name="us-east-1", **_KEYS)


@contextmanager
def a_bucket(name: str, place: str = "") -> Iterator[str]:
    """Yield the address of a place in an empty bucket."""
    with a_server() as server:
        client_of(server).create_bucket(Bucket=name)
        yield address(server, name + place)


@contextmanager
def a_bucket_with_object_lock(name: str, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the address of a place in an empty bucket that locks objects, and a client."""
    with a_server() as server:
        client = client_of(server)
        client.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
        yield address(server, name + place), client


def address(server: str, name: str) -> str:
    """Return the address of a bucket, as the settings take it."""
    return f"s3://key:secret@{server}/{name}?secure=false&region=us-east-1"

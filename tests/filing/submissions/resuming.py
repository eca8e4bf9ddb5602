"""Calls of the resumable upload, as a program makes them, and the state that they leave."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

from django.test import Client

from tests import make
from tests.conftest import LEI

F = f"/v2/filing/institutions/{LEI}/filings/2024"
VERSION = {"Tus-Resumable": "1.0.0"}


def caller(lei: str = LEI, name: str = "ann") -> Client:
    return make.program(name, leis=[lei])


def metadata(name: str) -> str:
    return f"filename {base64.b64encode(name.encode()).decode()}"


def checksum(data: bytes) -> str:
    return f"sha256 {base64.b64encode(hashlib.sha256(data).digest()).decode()}"


def begin(client: Client, length: Any, name: str = "lar.txt", *, at: str = F, **more: str) -> Any:
    headers = {"Upload-Length": str(length), "Upload-Metadata": metadata(name), **VERSION, **more}
    return client.post(f"{at}/submissions/1/uploads", headers=headers)


@dataclass
class Sending:
    """An upload and its sender."""

    client: Client
    address: str

    def patch(self, data: bytes, offset: Any, **more: str) -> Any:
        headers = {"Upload-Offset": str(offset), **VERSION, **more}
        kind = headers.pop("Content-Type", "application/offset+octet-stream")
        # The client of the framework leaves these out where there are no bytes.
        always = {"CONTENT_TYPE": kind, "CONTENT_LENGTH": str(len(data))}
        return self.client.generic("PATCH", self.address, data, headers=headers, **always)

    def head(self, **more: str) -> Any:
        return self.client.head(self.address, headers={**VERSION, **more})

    def offset(self) -> int:
        answer = self.head()
        assert answer.status_code == 200, answer.status_code
        return int(answer["Upload-Offset"])

    def delete(self) -> Any:
        return self.client.delete(self.address, headers=VERSION)


def begun(client: Client, length: int, *, at: str = F) -> Sending:
    answer = begin(client, length, at=at)
    assert answer.status_code == 201, answer.content
    return Sending(client, answer["Location"])

"""What is called to record the examples of the API document, on a service of their own."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.flow.conftest import Service
from tests.flow.recorder import Recorder

LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"
UNKNOWN_LEI = "529900EXAMPLELEI0009"
WORKBOOK = b"PK\x03\x04xl/workbook.xml"  # as an Excel file begins
JSON_LIMIT, PUBLIC_UPLOAD_LIMIT, UPLOAD_LIMIT = 1 << 20, 52_428_800, 2_147_483_648
FORM_BYTES = 1 << 17  # more than a form may add to its file
FIRST_BYTES = 2 << 20  # more than is read before the length is compared


@dataclass
class Recording:
    """A service, and the recorder of the calls to it."""

    service: Service
    recorder: Recorder

    def call(
        self,
        method: str,
        path: str,
        name: str = "",
        *,
        token: str = "",
        first: int = 0,
        **options: Any,
    ) -> httpx.Response:
        """Call an address and record it; name and first as of the recorder."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = httpx.request(
            method, f"{self.service.url}{path}", headers=headers, timeout=60, **options
        )
        return self.recorder.record(response, name, first=first)

    def send_too_large_file(self, path: str, limit: int, *, token: str = "") -> None:
        """Record the refusal of a file by its length: it is never sent whole."""
        where = urlsplit(self.service.url)
        connection = http.client.HTTPConnection(where.netloc, timeout=60)
        headers = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Content-Length": str(limit + FORM_BYTES),
            **({"Authorization": f"Bearer {token}"} if token else {}),
        }
        part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="lar.txt"\r\n\r\n'
        connection.request("POST", path, part + b"1" * FIRST_BYTES, headers)
        answer = connection.getresponse()
        self.recorder.record(
            httpx.Response(
                answer.status,
                headers=dict(answer.getheaders()),
                content=answer.read(),
                request=httpx.Request("POST", f"{self.service.url}{path}"),
            )
        )
        connection.close()

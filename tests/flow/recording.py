"""What is called to record the examples of the API document, on a service of their own."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
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
SECONDS = 300  # also on a machine with other work


@dataclass
class Recording:
    """A service, and the recorder of the calls to it."""

    service: Service
    recorder: Recorder

    def run_program(self, program: str) -> str:
        """Return what a program prints that runs with the service's database."""
        return self.service.manage("shell", "-v", "0", "-c", program).strip()

    def get_until(self, path: str, is_ready: Callable[[httpx.Response], bool]) -> httpx.Response:
        """Return the answer of an address once it is ready, without recording it."""
        until = time.monotonic() + SECONDS
        while not is_ready(answer := httpx.get(f"{self.service.url}{path}", timeout=SECONDS)):
            assert time.monotonic() < until, answer.text
            time.sleep(0.1)
        return answer

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
            method, f"{self.service.url}{path}", headers=headers, timeout=SECONDS, **options
        )
        return self.recorder.record(response, name, first=first)

    def refuse_others(self, token: str, *calls: tuple[str, str]) -> None:
        """Record what is refused without a token, and for another institution.

        calls: method and path of each, for the institution of the token.
        """
        for method, path in calls:
            self.call(method, path)
            self.call(method, path.replace(LEI, OTHER_LEI), token=token)

    def send_too_large_file(self, path: str, limit: int, *, token: str = "") -> None:
        """Record the refusal of a file by its length: it is never sent whole."""
        where = urlsplit(self.service.url)
        connection = http.client.HTTPConnection(where.netloc, timeout=SECONDS)
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

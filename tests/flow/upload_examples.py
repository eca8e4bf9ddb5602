"""The calls of resumable uploads whose answers the API document shows."""

from __future__ import annotations

import base64
import hashlib
import http.client
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.flow.recording import SECONDS, UPLOAD_LIMIT, WORKBOOK, Recording

VERSION = {"Tus-Resumable": "1.0.0"}
CONTENT_TYPE = {"Content-Type": "application/offset+octet-stream"}
NAME = {"Upload-Metadata": f"filename {base64.b64encode(b'lar.txt').decode()}"}
SIZE = 5000
TAKEN = (201, 204)


def record(recording: Recording, path: str, token: str) -> None:
    """Record the refusals of a resumable upload, from its beginning to its end.

    path: of a submission that waits for a file; at the end its file was received.
    """
    headers = {**VERSION, "Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=recording.service.url, headers=headers, timeout=SECONDS) as client:

        def call(method: str, address: str, content: bytes = b"", **more: str) -> httpx.Response:
            given = {name.replace("_", "-"): value for name, value in more.items()}
            response = client.request(method, address, content=content, headers=given)
            if response.status_code not in TAKEN:
                recording.recorder.record(response)
            return response

        uploads = f"{path}/uploads"
        call("POST", uploads, Tus_Resumable="0.2.2")
        call("POST", uploads, Upload_Length="many", **NAME)
        call("POST", uploads, Upload_Length="0", **NAME)
        call("POST", uploads, Upload_Length=str(UPLOAD_LIMIT + 1), **NAME)
        upload = call("POST", uploads, Upload_Length=str(SIZE), **NAME).headers["Location"]
        call("POST", uploads, Upload_Length=str(SIZE), **NAME)

        def append(offset: int | str, content: bytes, **more: str) -> None:
            given: dict[str, Any] = {**CONTENT_TYPE, "Upload-Offset": str(offset), **more}
            call("PATCH", upload, content, **given)

        append(0, b"", Tus_Resumable="0.2.2")
        append(0, b"1|", Content_Type="text/plain")
        append("many", b"1|")
        append(1, b"1|")
        append(0, b"1|" * SIZE)
        other = base64.b64encode(hashlib.sha256(b"2|").digest()).decode()
        append(0, b"1|", Upload_Checksum=f"sha256 {other}")
        _append_without_length(recording, upload, headers)
        _append_beside_another(recording, upload, headers)
        call("DELETE", upload, Tus_Resumable="0.2.2")
        call("DELETE", upload)
        call("PATCH", upload, b"1|", Upload_Offset="0", **CONTENT_TYPE)
        call("DELETE", upload)
        upload = call("POST", uploads, Upload_Length=str(SIZE), **NAME).headers["Location"]
        append(0, WORKBOOK)
        upload = call("POST", uploads, Upload_Length="2", **NAME).headers["Location"]
        append(0, b"1|")
        call("DELETE", upload)
        call("POST", uploads, Upload_Length="2", **NAME)


def _append_without_length(recording: Recording, upload: str, headers: dict[str, str]) -> None:
    """Record the refusal of bytes that come in chunks, without saying how many they are."""
    response = httpx.patch(
        f"{recording.service.url}{upload}",
        content=iter([b"1|"]),
        headers={**headers, **CONTENT_TYPE, "Upload-Offset": "0"},
        timeout=SECONDS,
    )
    recording.recorder.record(response)


def _append_beside_another(recording: Recording, upload: str, headers: dict[str, str]) -> None:
    """Record the refusal of bytes while another request adds to the upload."""
    connection = http.client.HTTPConnection(urlsplit(recording.service.url).netloc, timeout=SECONDS)
    connection.putrequest("PATCH", upload)
    given = {**headers, **CONTENT_TYPE, "Upload-Offset": "0", "Content-Length": "4"}
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders(b"1|")
    while (response := _appended(recording, upload, headers)).status_code != 423:
        assert response.status_code == 460, response.text
    recording.recorder.record(response)
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    while _appended(recording, upload, headers).status_code == 423:
        pass


def _appended(recording: Recording, upload: str, headers: dict[str, str]) -> httpx.Response:
    """Send bytes that are refused in any case: their checksum is that of no bytes."""
    nothing = base64.b64encode(hashlib.sha256(b"").digest()).decode()
    offset = httpx.head(f"{recording.service.url}{upload}", headers=headers, timeout=SECONDS)
    given = {
        "Upload-Offset": offset.headers.get("Upload-Offset", "0"),
        "Upload-Checksum": f"sha256 {nothing}",
    }
    return httpx.patch(
        f"{recording.service.url}{upload}",
        content=b"1|",
        headers={**headers, **CONTENT_TYPE, **given},
        timeout=SECONDS,
    )

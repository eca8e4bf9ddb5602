"""The endpoints of the filing API, one method each."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

from filing.lar.period import Period

PREFIX = "/v2/filing"
NOT_MODIFIED = 304

# Seconds. Reading is slow only after an upload, when the server stores the file.
_TIMEOUT = httpx.Timeout(30, read=300)


class Trouble(Exception):
    """The reason why a call failed, as a sentence."""


class Unreachable(Trouble):
    """The server did not respond."""


class Refused(Trouble):
    """The server refused the call.

    status: the HTTP status. message: the server's reason. The text includes the request id, with
    which the help desk can find the call.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.status = answer.status
        self.message = str(answer.body.get("message") or f"HTTP {answer.status}")
        request = f", request {answer.request_id}" if answer.request_id else ""
        super().__init__(f"{self.message} (HTTP {answer.status}{request})")


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of an endpoint: HTTP status and JSON body, which is empty if not modified.

    seconds: how long the call took. wait: seconds to wait before the next call, as the server asks.
    request_id: of the call in the server's log.
    """

    status: int
    body: dict[str, Any]
    seconds: float = 0.0
    etag: str = ""
    wait: float | None = None
    request_id: str = ""


class FilingClient:
    """Calls the filing API of a server on behalf of the owner of a token.

    url: the address of the server, such as `https://filing.example`.
    Every method raises Unreachable or Refused.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/").removesuffix(PREFIX)
        try:
            self._http = httpx.Client(
                base_url=f"{self.url}{PREFIX}",
                headers={"Authorization": f"Bearer {token.strip()}", "Accept": "application/json"},
                timeout=_TIMEOUT,
            )
        except httpx.InvalidURL as error:
            raise Unreachable(f"{url!r} is not a valid address: {error}.") from error

    def __enter__(self) -> FilingClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def start_filing(self, lei: str, period: Period) -> Answer:
        """Start the filing of a period; the server refuses an existing one with 400."""
        return self._call("POST", _path(lei, period))

    def filing(self, lei: str, period: Period, *, page: int = 1) -> Answer:
        """Return the filing with its submissions, newest first."""
        return self._call("GET", _path(lei, period), params={"page": page})

    def create_submission(self, lei: str, period: Period) -> Answer:
        """Create the next submission of a filing."""
        return self._call("POST", _path(lei, period, "/submissions"))

    def latest(self, lei: str, period: Period, *, etag: str = "") -> Answer:
        """Return the latest submission; an empty body if it still has the entity tag."""
        return self._state(_path(lei, period, "/submissions/latest"), etag)

    def submission(self, lei: str, period: Period, number: int, *, etag: str = "") -> Answer:
        """Return one submission; an empty body if it still has the entity tag."""
        return self._state(_path(lei, period, f"/submissions/{number}"), etag)

    def upload(
        self,
        lei: str,
        period: Period,
        number: int,
        path: Path,
        *,
        on_progress: Callable[[int], object] = int,
    ) -> Answer:
        """Upload a file, reading it while it is sent. on_progress: called with the bytes sent."""
        with _WatchedFile(path, on_progress) as file:
            return self._call(
                "POST",
                _path(lei, period, f"/submissions/{number}"),
                files={"file": (path.name, file, "text/plain")},
            )

    def format_errors(self, lei: str, period: Period, number: int, *, page: int = 1) -> Answer:
        """Return a page of the lines with formatting errors."""
        path = _path(lei, period, f"/submissions/{number}/parseErrors")
        return self._call("GET", path, params={"page": page})

    def edits(self, lei: str, period: Period, number: int) -> Answer:
        """Return the edits that were triggered, by kind."""
        return self._call("GET", _path(lei, period, f"/submissions/{number}/edits"))

    def edit(self, lei: str, period: Period, number: int, code: str, *, page: int = 1) -> Answer:
        """Return a page of the records that triggered an edit."""
        path = _path(lei, period, f"/submissions/{number}/edits/{code}")
        return self._call("GET", path, params={"page": page})

    def verify(
        self, lei: str, period: Period, number: int, kind: str, *, verified: bool = True
    ) -> Answer:
        """Verify the edits of a kind, `quality` or `macro`, or remove the verification."""
        path = _path(lei, period, f"/submissions/{number}/edits/{kind}")
        return self._call("POST", path, json={"verified": verified})

    def sign(self, lei: str, period: Period, number: int) -> Answer:
        """Sign a submission; return the receipt."""
        path = _path(lei, period, f"/submissions/{number}/sign")
        return self._call("POST", path, json={"signed": True})

    def receipt(self, lei: str, period: Period, number: int) -> Answer:
        """Return the receipt of a submission; before it is signed, one without a time."""
        return self._call("GET", _path(lei, period, f"/submissions/{number}/sign"))

    def summary(self, lei: str, period: Period, number: int) -> Answer:
        """Return a submission with its transmittal sheet."""
        return self._call("GET", _path(lei, period, f"/submissions/{number}/summary"))

    def _state(self, path: str, etag: str) -> Answer:
        return self._call("GET", path, headers={"If-None-Match": etag} if etag else {})

    def _call(self, method: str, path: str, **options: Any) -> Answer:
        try:
            response = self._http.request(method, path, **options)
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise Unreachable(f"{self.url} did not respond: {reason}") from error
        answer = Answer(
            status=response.status_code,
            body=_json(response),
            seconds=response.elapsed.total_seconds(),
            etag=response.headers.get("ETag", ""),
            wait=_seconds(response.headers.get("Retry-After", "")),
            request_id=response.headers.get("X-Request-ID", ""),
        )
        if response.is_success or answer.status == NOT_MODIFIED:
            return answer
        raise Refused(answer)


def _path(lei: str, period: Period, tail: str = "") -> str:
    quarter = f"/quarter/{period.quarter_name}" if period.is_quarterly else ""
    return f"/institutions/{quote(lei, safe='')}/filings/{period.year}{quarter}{tail}"


def _json(response: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of a response; any other content becomes the message."""
    try:
        body = response.json() if response.content else {}
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {"message": response.text[:200].strip()}


def _seconds(retry_after: str) -> float | None:
    """Return the seconds to wait by a Retry-After header: a number of seconds or a time."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


class _WatchedFile(io.FileIO):
    """A file that reports how far it has been read."""

    def __init__(self, path: Path, on_progress: Callable[[int], object]) -> None:
        super().__init__(path, "rb")
        self._on_progress = on_progress

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(-1 if size is None else size)
        self._on_progress(self.tell())
        return data or b""

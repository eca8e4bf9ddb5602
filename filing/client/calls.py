"""Calls of a server: the response, why a call failed, how fast calls follow, and retries."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

NOT_MODIFIED = 304
UNAUTHORIZED = 401

# Seconds. Reading is slow only after an upload, when the server stores the file.
_TIMEOUT = httpx.Timeout(30, read=300)
_NOTHING_LEFT = re.compile(r";\s*r=0\b")
_RATE = re.compile(r";\s*q=(\d+).*?;\s*w=(\d+)")
_LONGEST_WAIT = 60.0

Token = Callable[[bool], str]
Result = TypeVar("Result")

RETRY_SECONDS = 3600.0  # seconds to wait for the server in one step

# Seconds between calls if the server names none; and the least, whatever it names.
RETRY_PAUSE, LONGEST_RETRY_PAUSE = 0.5, 10.0
LEAST_RETRY_PAUSE = 0.05
# Statuses after which the same call may succeed a moment later.
TEMPORARY = frozenset({408, 423, 429, 500, 502, 503, 504})
IN_WORK = 409


class Trouble(Exception):
    """The reason why a call failed, as a sentence."""


class Unreachable(Trouble):
    """The server did not respond."""


class OtherSite(Trouble):
    """The server named an address at another site, which gets neither token nor data."""


class Refused(Trouble):
    """The server refused the call.

    status: the HTTP status. message: the server's reason. The text includes the request id, with
    which the help desk can find the call.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.status = answer.status
        self.message = str(answer.body.get("message") or f"HTTP {answer.status}")
        if detail := answer.body.get("detail"):
            self.message = f"{self.message}. {detail}"
        request = f", request {answer.request_id}" if answer.request_id else ""
        super().__init__(f"{self.message} (HTTP {answer.status}{request})")


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of an endpoint: HTTP status and JSON body, which is empty if not modified.

    seconds: how long the call took. wait: seconds to wait before the next call, as the server asks.
    request_id: of the call in the server's log. content: the body as it came.
    """

    status: int
    body: dict[str, Any]
    seconds: float = 0.0
    etag: str = ""
    wait: float | None = None
    request_id: str = ""
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Pace:
    """How long calls of all threads wait, by the rate limit that the server reports.

    Source: draft-ietf-httpapi-ratelimit-headers-10.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._not_before = 0.0

    def wait(self) -> None:
        """Wait until the server takes the next call."""
        with self._guard:
            pause = self._not_before - time.monotonic()
        if pause > 0:
            time.sleep(min(pause, _LONGEST_WAIT))

    def read(self, headers: Mapping[str, str]) -> None:
        """Note that nothing is left of the limit: the next call waits until one may follow."""
        rate = _RATE.search(headers.get("RateLimit-Policy", ""))
        if rate and _NOTHING_LEFT.search(headers.get("RateLimit", "")):
            quota, seconds = map(int, rate.groups())
            with self._guard:
                self._not_before = time.monotonic() + seconds / max(quota, 1)


class Connection:
    """Calls a server; every method raises Unreachable or Refused.

    url: its address, such as `https://filing.example`. token: an access token; a function that
    returns one, and another one when called with True because the server refused the first; empty
    for calls without an account. pace: shared by the connections of several threads.
    """

    def __init__(self, url: str, token: str | Token = "", *, pace: Pace | None = None) -> None:
        self.url = url.rstrip("/")
        self._token, self._pace = token, pace or Pace()
        try:
            self._http = httpx.Client(base_url=self.url, timeout=_TIMEOUT)
        except httpx.InvalidURL as error:
            raise Unreachable(f"{url!r} is not a valid address: {error}.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Answer:
        """Return the response of a call.

        key: makes a repeated POST harmless; without one, it is a new key.
        """
        headers = {"Accept": "application/json", **(headers or {})}
        if method == "POST":
            headers["Idempotency-Key"] = key or new_key()
        answer = self._answer(method, path, headers, options, again=False)
        # A file that was sent cannot be sent again from here.
        if answer.status == UNAUTHORIZED and callable(self._token) and "files" not in options:
            answer = self._answer(method, path, headers, options, again=True)
        if 200 <= answer.status < 300 or answer.status == NOT_MODIFIED:
            return answer
        raise Refused(answer)

    def require_own_site(self, address: str | httpx.URL) -> None:
        """Refuse an address that is not at this server. Raises: OtherSite, httpx.InvalidURL."""
        if origin_of(self._http.base_url.join(address)) != origin_of(self._http.base_url):
            raise OtherSite(f"{self.url} names the address {address} at another site.")

    def _answer(
        self, method: str, path: str, headers: dict[str, str], options: Any, *, again: bool
    ) -> Answer:
        token = self._token(again) if callable(self._token) else self._token.strip()
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._pace.wait()
        try:
            request = self._http.build_request(method, path, headers=headers, **options)
            self.require_own_site(request.url)
            response = self._http.send(request)
        except httpx.InvalidURL as error:
            raise Unreachable(f"{path!r} is not a valid address: {error}.") from error
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise Unreachable(f"{self.url} did not respond: {reason}") from error
        self._pace.read(response.headers)
        return Answer(
            status=response.status_code,
            body=_json(response),
            seconds=response.elapsed.total_seconds(),
            etag=response.headers.get("ETag", ""),
            wait=_seconds(response.headers.get("Retry-After", "")),
            request_id=response.headers.get("X-Request-ID", ""),
            content=response.content,
            headers=response.headers,
        )


def origin_of(url: str | httpx.URL) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an address. Raises: httpx.InvalidURL."""
    url = httpx.URL(url)
    return url.scheme, url.host, url.port


def new_key() -> str:
    """Return an idempotency key that was never used."""
    return uuid.uuid4().hex


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


def is_temporary_failure(error: Unreachable | Refused) -> bool:
    """Return whether the same call may succeed a moment later.

    A conflict that names a time to wait is a call with the same key that is still in work.
    """
    if isinstance(error, Unreachable):
        return True
    return error.status in TEMPORARY or (error.status == IN_WORK and bool(error.answer.wait))


def call_with_retries(call: Callable[[], Result], *, patience: float) -> Result:
    """Return the result of a call, repeated while the server is temporarily unavailable.

    Only for calls that can be repeated without harm: reads, and POSTs with a key.
    Raises: Unreachable, Refused.
    """
    until, pause = time.monotonic() + patience, RETRY_PAUSE
    while True:
        try:
            return call()
        except (Unreachable, Refused) as error:
            retry_after = error.answer.wait if isinstance(error, Refused) else None
            wait = pause if retry_after is None else max(retry_after, LEAST_RETRY_PAUSE)
            if not is_temporary_failure(error) or time.monotonic() + wait > until:
                raise
        time.sleep(wait)
        pause = min(pause * 2, LONGEST_RETRY_PAUSE)

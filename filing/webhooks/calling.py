"""Makes one request to the address of a webhook, which anyone of an institution may have entered.

Only to a checked IP address, over TLS, without redirects and within a time limit. Of the answer,
its status counts; only its beginning is read.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpx
from django.conf import settings

from filing.emails.outbox import remove_line_breaks
from filing.errors import BadInput, Refusal
from filing.files import remote_files

PORTS = (443, 8443)  # elsewhere only in WEBHOOK_NETWORKS
CONNECT_SECONDS = 5.0
TOTAL_SECONDS = 15.0
ANSWER_SECONDS = 2.0  # to read the beginning of the answer, once its status is known
ANSWER_BYTES = 4096
LONGEST_URL = 500


@dataclass(frozen=True)
class CallOutcome:
    """The result of a request. status: none without an answer. error: blank if delivered."""

    milliseconds: int
    status: int | None = None
    answer: str = ""
    error: str = ""


def check_address(text: str) -> str:
    """Return an address as it is stored.

    The host is looked up when a message is sent, so only an IP address can be refused here.

    Raises: BadInput.
    """
    url = remote_files.read_address(text)
    remote_files.require_address_form(url, ("https",))
    if not url.host:
        raise BadInput("The address has no host; enter one such as https://bank.example/hmda.")
    if url.port not in (None, *PORTS) and not settings.WEBHOOK_NETWORKS:
        raise BadInput(f"Port {url.port} is not accepted; use port 443 or 8443.")
    if url.fragment:
        raise BadInput("The address has a part after #; enter it without.")
    if len(str(url)) > LONGEST_URL:
        raise BadInput(f"The address has more than {LONGEST_URL} characters.")
    with suppress(ValueError):
        _require_accepted(str(ip_address(url.host)))
    return str(url)


def post_message(address: str, *, headers: Mapping[str, str], body: str) -> CallOutcome:
    """Send a body to an address, and return what came of it; no error is raised."""
    began = time.monotonic()
    watch = _Watch(TOTAL_SECONDS)

    def outcome(**facts: Any) -> CallOutcome:
        return CallOutcome(milliseconds=round((time.monotonic() - began) * 1000), **facts)

    try:
        url = httpx.URL(check_address(address))
        timeout = httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS)
        # A proxy of the environment would look the host up itself.
        with watch, httpx.Client(timeout=timeout, trust_env=False, verify=_context()) as client:
            request = remote_files.request_checked_address(
                client,
                "POST",
                url,
                networks=settings.WEBHOOK_NETWORKS,
                headers={
                    **headers,
                    "Content-Type": "application/json",
                    "User-Agent": "hmda-filing",
                },
                content=body.encode(),
                extensions={"trace": watch.follow},
            )
            _require_port(url, request.url.host)
            with closing(client.send(request, stream=True)) as answer:
                watch.shorten(ANSWER_SECONDS)
                text = _beginning(answer)
                return outcome(status=answer.status_code, answer=text, error=_failure(answer))
    except Refusal as refusal:
        return outcome(error=refusal.message)
    except httpx.InvalidURL as error:
        return outcome(error=f"This is not a valid address: {error}.")
    except (httpx.HTTPError, OSError) as error:
        if isinstance(error, httpx.ConnectTimeout):
            return outcome(error=f"No connection within {CONNECT_SECONDS:.0f} seconds.")
        if watch.has_fired or isinstance(error, httpx.TimeoutException):
            return outcome(error=f"No answer within {TOTAL_SECONDS:.0f} seconds.")
        return outcome(error=remove_line_breaks(f"The request failed: {error}.")[:500])


def _require_accepted(address: str) -> None:
    if not remote_files.is_accepted_address(address, settings.WEBHOOK_NETWORKS):
        raise BadInput(f"{address} is a private address, which is not allowed.")


def _require_port(url: httpx.URL, address: str) -> None:
    is_listed = remote_files.is_in_networks(address, settings.WEBHOOK_NETWORKS)
    if url.port not in (None, *PORTS) and not is_listed:
        raise BadInput(f"Port {url.port} is not accepted; use port 443 or 8443.")


def _context() -> Any:
    """Return the TLS settings: the usual authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR."""
    has_own = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    return httpx.create_ssl_context(trust_env=bool(has_own))


def _failure(answer: httpx.Response) -> str:
    """Return why an answer means that the message was not accepted; blank for 2xx."""
    status = answer.status_code
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"The address answered {status}, a redirect. Redirects are not followed."
    return f"The address answered {status}."


def _beginning(answer: httpx.Response) -> str:
    """Return the first bytes of an answer as text on one line, as far as they come in time."""
    data = b""
    with suppress(httpx.HTTPError, OSError):
        for piece in answer.iter_raw():
            data += piece
            if len(data) >= ANSWER_BYTES:
                break
    return remove_line_breaks(data[:ANSWER_BYTES].decode(errors="replace"))


class _Watch:
    """Ends a connection after a time, whatever the other side sends until then.

    The limits of the HTTP client are for each read; an answer that comes byte by byte meets them.
    """

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._timer: threading.Timer | None = None
        self.has_fired = False

    def __enter__(self) -> None:
        self._start()

    def __exit__(self, *error: object) -> None:
        self._stop()

    def follow(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of the connection, as the HTTP client reports it."""
        if event == "connection.start_tls.complete":
            self._socket = info["return_value"].get_extra_info("socket")
            if self.has_fired:
                self._end()

    def shorten(self, seconds: float) -> None:
        """End the connection after these seconds, if it would end later."""
        self._stop()
        self._until = min(self._until, time.monotonic() + seconds)
        self._start()

    def _start(self) -> None:
        self._timer = threading.Timer(max(0.0, self._until - time.monotonic()), self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()

    def _fire(self) -> None:
        self.has_fired = True
        self._end()

    def _end(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                # Of the plain socket: that of TLS may be in use by the other thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

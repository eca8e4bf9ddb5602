"""Requests in processes of their own, which may be killed before any statement to the database."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from filing.jobs import sweeper
from filing.models import IdempotentRequest, Job
from tests.filing.idempotency.posts import Post

AT_THE_END = 1_000_000  # after the last statement: the answer is there, and is lost


@dataclass(frozen=True)
class Outcome:
    """What a caller got; nothing if the process was killed. statements: to the database."""

    status: int = 0
    content: str = ""
    location: str = ""
    is_replayed: bool = False
    statements: int = 0

    @property
    def answer(self) -> tuple[int, str, str]:
        return self.status, self.content, self.location


class Sending:
    """A request that another process answers."""

    def __init__(
        self,
        post: Post,
        client: Client,
        lei: str,
        key: str,
        *,
        variant: int = 0,
        killed_at: int = 0,
        after: float = 0,
    ) -> None:
        """Send it after some seconds. killed_at: before which statement the process is killed."""
        _load_the_service()
        connections.close_all()
        self._read, write = os.pipe()
        self._process = os.fork()
        if self._process:
            os.close(write)
            return
        try:
            time.sleep(after)
            outcome = _outcome(post, client, lei, key, variant, killed_at)
            os.write(write, json.dumps(outcome).encode())
        finally:
            os._exit(0)

    def outcome(self) -> Outcome:
        """Wait for the answer and return it."""
        with os.fdopen(self._read, "rb") as file:
            content = file.read()
        os.waitpid(self._process, 0)
        return Outcome(**json.loads(content)) if content else Outcome()


@cache
def _load_the_service() -> None:
    """Import once what requests need: else each of the processes would do so."""
    for address in ("/v2/filing/institutions/x/filings/2024", "/filing/profile/"):
        Client().get(address)


def _outcome(
    post: Post, client: Client, lei: str, key: str, variant: int, killed_at: int
) -> dict[str, Any]:
    statements = 0

    def count(execute: Any, *call: Any) -> Any:
        nonlocal statements
        statements += 1
        if statements == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*call)

    client.raise_request_exception = False
    with connection.execute_wrapper(count):
        response = post.send(client, lei, key, variant)
    if killed_at == AT_THE_END:
        os.kill(os.getpid(), signal.SIGKILL)
    is_page = post.page is not None and response.status_code not in (201, 303)
    return {
        "status": response.status_code,
        "content": "" if is_page else response.content.decode(),
        "location": response.headers.get("Location", ""),
        "is_replayed": "Idempotency-Replayed" in response,
        "statements": statements,
    }


def let_leases_end() -> None:
    """Do what time does: leases run out, and the sweeper recovers what was left."""
    now = timezone.now()
    IdempotentRequest.objects.filter(status=None).update(lease_until=now)
    Job.objects.filter(state=Job.State.RUNNING).update(lease_until=now)
    sweeper.sweep_jobs()

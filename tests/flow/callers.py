"""Those who call a service that may lose processes at any time: filers, staff and the public.

Every answer is held against what no answer may be: a failure, or words of the code.
"""

from __future__ import annotations

import html
import re
import time
import uuid
from typing import Any

import httpx

from tests.errors import error_of
from tests.flow.conftest import Service
from tests.flow.processes import SECONDS

IN_WORK, UNAVAILABLE = 409, 503
PAUSE_SECONDS = 0.2
# What pages of errors of the framework, and errors that no one caught, have.
_OF_THE_CODE = re.compile(
    r'Traceback \(most recent|File "[^"]+", line \d|django\.\w+\.|DEBUG = True'
)
STAFF = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Group, User
from config.backends.sessions import SessionStore
name = {name!r}
email = f"{{name[:4]}}@agency.example"
user = User.objects.create_user(name.replace(" ", "-"), email, is_staff=True)
user.groups.add(Group.objects.get(name=name))
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "config.identity.login.Backend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(session.session_key)
"""


class Lost(Exception):
    """It is not known whether a request had its effect: the answer was lost, or is 503."""


class Caller:
    """A caller with a token, a session, or nothing. calls: takes a line for each, with its answer.

    Each request has a connection of its own: one that was kept open may end with its process.
    """

    def __init__(
        self, service: Service, calls: list[str], *, token: str = "", session: str = ""
    ) -> None:
        self.calls = calls
        self._client = httpx.Client(
            base_url=service.url,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            cookies={"sessionid": session} if session else {},
            timeout=SECONDS,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    @classmethod
    def of_staff(cls, service: Service, calls: list[str], group: str) -> Caller:
        """Return a member of a group of staff, signed in."""
        made = STAFF.format(name=group)
        return cls(service, calls, session=service.shell(made))

    @property
    def headers(self) -> dict[str, str]:
        return dict(self._client.headers)

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Return the answer to a request that changes nothing, sent until there is one."""
        return self.until_answered("GET", path, **options)

    def post(self, path: str, *, is_repeated: bool = False, **options: Any) -> httpx.Response:
        """Return the answer to a request.

        is_repeated: whether it has an idempotency key. It is then sent until there is an answer,
        and once more, which must give the same one.

        Raises: Lost, without a key.
        """
        if not is_repeated:
            answer = self.send("POST", path, **options)
            if answer.status_code == UNAVAILABLE:
                raise Lost(answer.text)
            return answer
        options["headers"] = {**options.get("headers", {}), "Idempotency-Key": str(uuid.uuid4())}
        answer = self.until_answered("POST", path, **options)
        again = self.until_answered("POST", path, **options)
        assert again.headers["Idempotency-Replayed"] == "true", again.text
        assert (again.status_code, again.content) == (answer.status_code, answer.content)
        return answer

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer to one request; only one that was never sent is sent again.

        Raises: Lost.
        """
        until = time.monotonic() + SECONDS
        while True:
            try:
                answer = self._client.request(method, path, **options)
                break
            except httpx.ConnectError:
                assert time.monotonic() < until, f"no connection for {SECONDS} seconds"
                time.sleep(PAUSE_SECONDS)
            except httpx.TransportError as error:
                self.calls.append(f"{method} {path}: {error!r}")
                raise Lost(str(error)) from error
        self.calls.append(f"{method} {path}: {answer.status_code}")
        check(answer)
        return answer

    def submit(self, page: str, fields: dict[str, str]) -> httpx.Response:
        """Return the page after a form of a page was sent, with what the page filled in."""
        shown = self.get(page).text
        hidden = re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)"', shown)
        sent = {name: html.unescape(value) for name, value in hidden} | fields
        return self.until_answered("POST", page.partition("?")[0], data=sent)

    def close(self) -> None:
        self._client.close()

    def until_answered(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer to a request that may be sent as often as it takes."""
        until = time.monotonic() + SECONDS
        while True:
            try:
                answer = self.send(method, path, **options)
            except Lost:
                pass
            else:
                is_refused = answer.status_code == IN_WORK and "Retry-After" not in answer.headers
                if is_refused or answer.status_code not in (IN_WORK, UNAVAILABLE):
                    return answer
                assert int(answer.headers["Retry-After"]) >= 1
            assert time.monotonic() < until, f"no answer for {SECONDS} seconds: {method} {path}"
            time.sleep(PAUSE_SECONDS)


def check(answer: httpx.Response) -> None:
    """Hold an answer against what none may be."""
    about = f"{answer.request.method} {answer.request.url}: {answer.status_code}"
    if answer.status_code >= 500:
        assert answer.status_code == UNAVAILABLE, f"{about} {answer.text[:2000]}"
        assert int(answer.headers["Retry-After"]) >= 1, about
    if "text" in answer.headers.get("Content-Type", "") or answer.status_code >= 400:
        words = _OF_THE_CODE.search(answer.text)
        assert words is None, f"{about} {words}"
    assert answer.headers["X-Request-ID"], about


def refusal(answer: httpx.Response, path: str) -> tuple[int, str]:
    """Return status and message of a refusal, held against the form of all refusals."""
    is_first = "Idempotency-Replayed" not in answer.headers  # else it has the id of the first one
    body = error_of(answer) if is_first else answer.json()
    assert (body["httpStatus"], body["path"]) == (answer.status_code, path)
    assert answer.headers["Cache-Control"] in ("no-cache", "no-store")
    return answer.status_code, body["message"]

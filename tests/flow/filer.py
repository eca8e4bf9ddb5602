"""A filer at work: what a program does that files for one institution and period."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from filing.demo import census as demo_census
from filing.demo.files.lar_file import LarRecipe, make_lar_file
from filing.lar.years import Period
from filing.reference.census import build_census
from filing.statuses import Status
from tests.flow.conftest import Service

REST_SECONDS = 120  # also for a worker that still starts, on a busy machine


class Filer:
    """One institution and period, and the calls that are made for them."""

    def __init__(self, service: Service, lei: str, period: str, client: httpx.Client) -> None:
        self.service = service
        self.lei = lei
        self.period = period
        self.client = client
        self.headers = dict(client.headers)
        self.codes: list[int] = []

    @classmethod
    @contextmanager
    def of(cls, service: Service, period: str, lei: str | None = None) -> Iterator[Filer]:
        lei = lei or service.lei()
        with service.client(service.tokens[lei]) as client:
            yield cls(service, lei, period, client)

    def path(self, rest: str = "") -> str:
        year, _, quarter = self.period.partition("-")
        inside = f"/quarter/{quarter}" if quarter else ""
        return f"/institutions/{self.lei}/filings/{year}{inside}{rest}"

    @property
    def address(self) -> str:
        return f"{self.service.url}/v2/filing{self.path()}"

    def call(self, method: str, rest: str, **options: Any) -> httpx.Response:
        return self.client.request(method, self.path(rest), **options)

    def begin(self) -> dict[str, Any]:
        """Start the filing, if nobody has, and create a submission."""
        self.call("POST", "")
        answer = self.call("POST", "/submissions")
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def upload(self, content: bytes, *, name: str = "lar.txt", number: int = 1) -> httpx.Response:
        return self.call("POST", f"/submissions/{number}", files={"file": (name, content)})

    def state(self, number: int = 1) -> dict[str, Any]:
        answer = self.call("GET", f"/submissions/{number}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def rest(self, number: int = 1, seconds: float = REST_SECONDS) -> dict[str, Any]:
        """Wait until the submission waits for a person, and return it; keep the codes seen."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.state(number)
            code = state["status"]["code"]
            if code not in self.codes[-1:]:
                self.codes.append(code)
            if Status(code).is_settled and code != Status.CREATED:
                return state
            time.sleep(0.05)
        raise AssertionError(f"still {state['status']} after {seconds} s: {self.service_log()}")

    def service_log(self) -> str:
        names = ("web", "worker-small", "worker-large", "worker-other")
        return "\n".join(self.service.stack.last_words(name) for name in names)

    def file(self, content: bytes, *, number: int = 1) -> dict[str, Any]:
        """Begin, upload, and wait until the submission rests."""
        self.begin()
        answer = self.upload(content, number=number)
        assert answer.status_code == 202, answer.text
        return self.rest(number)

    def verify(self, kind: str, verified: bool = True, number: int = 1) -> httpx.Response:
        return self.call("POST", f"/submissions/{number}/edits/{kind}", json={"verified": verified})

    def sign(self, number: int = 1) -> httpx.Response:
        return self.call("POST", f"/submissions/{number}/sign", json={"signed": True})


def lar(filer: Filer, *, rows: int, fail: tuple[str, ...] = (), seed: int = 0) -> bytes:
    """Return a file for the filer: clean, but for the edits named as `Q611` or `Q611:27`."""
    period = Period.parse(filer.period)
    fails = {code: int(count or 1) for code, _, count in (each.partition(":") for each in fail)}
    recipe = LarRecipe(
        period=period, lei=filer.lei, rows=rows, fails=fails, seed=seed, tax_id="12-3456789"
    )
    return b"".join(
        make_lar_file(recipe, build_census(demo_census.make_census_rows(period.year)).tracts)
    )

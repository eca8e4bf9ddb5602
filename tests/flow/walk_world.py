"""Where walks take place: a service, those who call it, and the files that are filed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from filing.statuses import Status
from tests.flow import faults
from tests.flow.callers import Caller
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.resilience.between import Between

PERIODS = ("2024", "2024-Q1")
ROWS = 25
# The edits that fail in each kind of file, and the status that it comes to.
FILES: dict[str, tuple[tuple[str, ...], int]] = {
    "clean": ((), Status.VERIFIED),
    "quality": (("Q611:2",), Status.QUALITY_ERRORS),
    "macro": (("Q637",), Status.MACRO_ERRORS),
    "both": (("Q611:1", "Q637"), Status.MACRO_ERRORS),
    "validity": (("V613-3:2",), Status.SYNTACTICAL_OR_VALIDITY_ERRORS),
    "formatting": ((), Status.PARSED_WITH_ERRORS),
}
NO_LAR = {"empty": b"", "a workbook": b"PK\x03\x04" + b"x" * 99, "with NUL": b"1|\0|2\n"}
ADDRESSES = (
    *(("GET", ""), ("POST", ""), ("GET", "/submissions"), ("POST", "/submissions")),
    *(("GET", "/submissions/latest"), ("GET", "/submissions/{n}"), ("POST", "/submissions/{n}")),
    *(("GET", "/submissions/{n}/edits"), ("GET", "/submissions/{n}/edits/csv")),
    *(("GET", "/submissions/{n}/parseErrors"), ("GET", "/submissions/{n}/edits/Q611")),
    *(("POST", "/submissions/{n}/edits/quality"), ("POST", "/submissions/{n}/edits/macro")),
    *(("GET", "/submissions/{n}/sign"), ("POST", "/submissions/{n}/sign")),
    *(("GET", "/submissions/{n}/summary"), ("GET", "/submissions/{n}/receipt")),
    *(("POST", "/submissions/{n}/uploads"), ("GET", "/submissions/{n}/progress")),
)
KEYS = """
import json
from filing.models import FilingPeriod
print(json.dumps({str(each.period): each.pk for each in FilingPeriod.objects.all()}))
"""
KEY_OF = """
from filing.models import Submission
print(Submission.objects.get(filing__institution__lei={lei!r}, filing__period__quarter={quarter!r},
    sequence_number={number}).pk)
"""
REASON = "A walk of the tests."
VERIFIABLE = (Status.QUALITY_ERRORS, Status.MACRO_ERRORS, Status.VERIFIED)
API = "/v2/filing"
CLOSED = "no longer available for filing"
PART = "application/offset+octet-stream"
TUS = {"Tus-Resumable": "1.0.0"}


@dataclass(frozen=True)
class Place:
    """What the maker of files has to know of a filer."""

    lei: str
    period: str


@lru_cache(maxsize=64)
def content(place: Place, kind: str, seed: int = 0) -> bytes:
    """Return a file of a kind."""
    made = lar(cast(Filer, place), rows=ROWS, fail=FILES[kind][0], seed=seed)
    if kind != "formatting":
        return made
    sheet, loan, rest = made.split(b"\n", 2)
    return b"\n".join((sheet, loan.replace(b"|", b"|x", 3), rest))


class World:
    """A service, those who call it, and which periods are open. figures: of all walks."""

    def __init__(self, service: Service, broker: Between) -> None:
        self.service = service
        self.calls: list[str] = []
        self.faults = faults.Faults(service, broker)
        self.operator = Caller.of_staff(service, self.calls, "operator")
        self.desk = Caller.of_staff(service, self.calls, "help desk")
        self.public = Caller(service, self.calls)
        self.figures: Counter[str] = Counter()
        self.is_open = dict.fromkeys(PERIODS, True)
        self.period_keys: dict[str, int] = json.loads(self.ask(KEYS))

    def ask(self, question: str) -> str:
        return self.service.shell(question)

    def close(self) -> None:
        for caller in (self.operator, self.desk, self.public):
            caller.close()

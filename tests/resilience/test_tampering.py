"""Files, receipts and entries that are tampered with at random: each change is found."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from filing import audit, submissions
from filing.access import Caller
from filing.audit import chain, verification
from filing.audit.chain import EVIDENCE_TABLES
from filing.audit.verification import Expectation
from filing.errors import BadInput, NotFound
from filing.jobs import queue
from filing.models import (
    Attempt,
    AuditEvent,
    Filing,
    FilingPeriod,
    Institution,
    Seal,
    SignedReceipt,
    Submission,
)
from filing.periods import filings
from filing.receipts import checking, documents
from filing.statuses import Event, Status
from filing.submissions import moves
from tests.tampering import unguarded

pytestmark = [pytest.mark.django_db, pytest.mark.resilience]

LEI = "5493000000000000TAMP"
ROUNDS = 8  # of filing and signing
TRIALS = 240


def test_whatever_is_tampered_with_is_found() -> None:
    trials = Trials(random.Random(1))
    names = [*trials.kinds]
    missed = []
    with unguarded():
        for number in range(TRIALS):
            is_found, what = trials.run(names[number % len(names)])
            if not is_found:
                missed.append(f"{names[number % len(names)]}: {what}")
    assert missed == []


class Trials:
    """A small service with filings, and trials that each leave it as it was."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.files: list[bytes] = []
        self.receipts: list[bytes] = []
        self._file()
        self.head = chain.find_head_of_site()
        self.seals = Seal.objects.count()
        self.kinds: dict[str, Callable[[], tuple[bool, str]]] = {
            "byte of a file": self._file_byte,
            "byte of a receipt": self._receipt_byte,
            "byte of a stored proof": self._stored_proof,
            "value of an entry": self._entry_value,
            "fingerprint of an entry": self._entry_fingerprint,
            "value of a seal": self._seal_value,
            "entry deleted": self._deleted,
            "entry and seal deleted": self._deleted_with_seal,
            "entry inserted": self._inserted,
            "entries exchanged": self._exchanged,
            "seals exchanged": self._seals_exchanged,
            "end cut off": self._cut_off,
        }

    def run(self, name: str) -> tuple[bool, str]:
        """Tamper once, in a transaction that is rolled back."""
        with transaction.atomic():
            result = self.kinds[name]()
            transaction.set_rollback(True)
        return result

    def _file(self) -> None:
        """File some submissions as the service does, without checking their records."""
        ann = Caller(id="user-1", username="ann", email="ann@bank.example", leis=frozenset({LEI}))
        institution = Institution.objects.create(activity_year=2024, lei=LEI, name="B", agency=9)
        day = date(2020, 1, 1)
        period = FilingPeriod.objects.create(
            year=2024, opens=day, timely_until=day, closes=day.replace(year=2090)
        )
        Filing.objects.create(institution=institution, period=period)
        for number in range(ROUNDS):
            audit.record_event(
                AuditEvent.SIGNED_IN, by=ann, reason=f"Sign-in {number} — “quoted” ünïcödé"
            )
            content = self.chance.randbytes(2000)
            submission = submissions.create_submission(lei=LEI, period=period.period, by=ann)
            moves.move_submission(submission, Event.UPLOAD_STARTED, by=ann, reason="A file.")
            job = queue.add_job("parse", submission=submission)
            Attempt.objects.create(job=job, number=1, owner="host:1", outcome="done", rows=number)
            Submission.objects.filter(pk=submission.pk).update(
                status=Status.VERIFIED, lines=61, size=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
            )  # fmt: skip
            submission = Submission.objects.select_related(
                "filing__institution", "filing__period"
            ).get(pk=submission.pk)
            filings.mark_filing_in_progress(submission.filing)
            signature = submissions.sign_submission(submission, signed=True, by=ann)
            self.files.append(content)
            self.receipts.append(documents.write_receipt_file(signature.signed_receipt))

    def _verify(self) -> bool:
        expected = [
            Expectation(self.head, "the log"),
            *checking.find_heads_in_receipts(all_of_them=True),
        ]
        return verification.verify_chain(full=True, expected=expected).finding_count > 0

    def _changed(self, content: bytes) -> tuple[bytes, int]:
        """Return content with another byte somewhere, and where."""
        place = self.chance.randrange(len(content))
        byte = (content[place] + self.chance.randrange(1, 256)) % 256
        return content[:place] + bytes([byte]) + content[place + 1 :], place

    def _file_byte(self) -> tuple[bool, str]:
        content, place = self._changed(self.chance.choice(self.files))
        try:
            checking.check_file_hash(hashlib.sha256(content).hexdigest())
        except NotFound:
            return True, ""
        return False, f"byte {place}"

    def _receipt_byte(self) -> tuple[bool, str]:
        original = self.chance.choice(self.receipts)
        content, place = self._changed(original)
        try:
            genuine = checking.check_receipt(content).genuine
        except BadInput:
            genuine = False
        return not genuine, f"byte {place}: {original!r} {content!r}"

    def _stored_proof(self) -> tuple[bool, str]:
        receipt = self.chance.choice(list(SignedReceipt.objects.all()))
        place = self.chance.randrange(len(receipt.jws))
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.="
        letter = self.chance.choice([each for each in letters if each != receipt.jws[place]])
        jws = receipt.jws[:place] + letter + receipt.jws[place + 1 :]
        _rows(SignedReceipt).filter(pk=receipt.pk).update(jws=jws)
        return self._verify(), f"{receipt}, letter {place} of the proof"

    def _any_entry(self) -> tuple[Any, dict[str, Any]]:
        """Return a table of evidence that has entries, and one of them."""
        tables = [table for table in EVIDENCE_TABLES.values() if table.rows.exists()]
        table = self.chance.choice(tables)
        return table, self.chance.choice(list(table.rows.values()))

    def _other(self, value: Any) -> Any:
        """Return another value of the same type, as near as there is one."""
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + 1
        if isinstance(value, datetime):
            return value + timedelta(microseconds=self.chance.choice((-1, 1)))
        if value is None:
            return None
        if not value:
            return "x"
        place = self.chance.randrange(len(value))
        letter = chr((ord(value[place]) + 1) % 0x250 or 32)
        return value[:place] + letter + value[place + 1 :]

    def _entry_value(self) -> tuple[bool, str]:
        table, entry = self._any_entry()
        columns = table.model.CONTENT[max(table.model.CONTENT)]
        names = [table.model._meta.get_field(name).attname for name in columns]
        names = [name for name in names if entry[name] is not None]
        name = self.chance.choice(names)
        other = self._other(entry[name])
        if name in {"submission_id", "job_id"}:
            other += 10_000  # a taken one would be refused
        table.rows.filter(pk=entry["id"]).update(**{name: other})
        return self._verify(), f"{table.name} {entry['id']} {name}"

    def _entry_fingerprint(self) -> tuple[bool, str]:
        table, entry = self._any_entry()
        other = self._other(entry["fingerprint"])
        table.rows.filter(pk=entry["id"]).update(fingerprint=other)
        return self._verify(), f"{table.name} {entry['id']} {other}"

    def _any_seal(self) -> Seal:
        return Seal.objects.get(number=self.chance.randrange(1, self.seals + 1))

    def _seal_value(self) -> tuple[bool, str]:
        seal = self._any_seal()
        names = [field.attname for field in Seal._meta.fields if field.attname != "number"]
        name = self.chance.choice(names)
        value = getattr(seal, name)
        if name == "keys":
            other: Any = {**value, "log": [[1, 10_000]]}
        elif name == "totals":
            other = {**value, "log": 10_000}
        else:
            other = self._other(value)
        _rows(Seal).filter(pk=seal.number).update(**{name: other})
        return self._verify(), f"seal {seal.number} {name}"

    def _deleted(self) -> tuple[bool, str]:
        table, entry = self._any_entry()
        table.rows.filter(pk=entry["id"])._raw_delete("default")
        return self._verify(), f"{table.name} {entry['id']}"

    def _deleted_with_seal(self) -> tuple[bool, str]:
        seal = self._any_seal()
        self._delete(seal)
        return self._verify(), f"seal {seal.number} with its entries"

    def _delete(self, seal: Seal) -> None:
        for name in seal.keys:
            rows = EVIDENCE_TABLES[name].rows
            rows.filter(pk__in=list(seal.list_keys(name)))._raw_delete("default")
        _rows(Seal).filter(pk=seal.number)._raw_delete("default")

    def _inserted(self) -> tuple[bool, str]:
        """Insert a copy of an entry that is a little different, with a fingerprint or without."""
        table, entry = self._any_entry()
        name = "receipt" if table.name == "signature" else table.time
        copy = {**entry, name: self._other(entry[name]), "id": 100_000}
        if table.name == "removal":
            copy["hashes"] = str(copy["hashes"]).replace("'", '"')
        if table.name == "signature":
            copy["submission_id"] += 10_000
        if self.chance.random() < 0.5:
            copy["fingerprint"] = ""
        if table.name == "removal":
            copy["entries"] = str(copy["entries"])
        columns = ", ".join(f'"{column}"' for column in copy)
        places = ", ".join("%s" for _ in copy)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table.model._meta.db_table} ({columns}) VALUES ({places})",
                [*copy.values()],
            )
        return self._verify(), f"{table.name}, a copy of {entry['id']}"

    def _exchanged(self) -> tuple[bool, str]:
        tables = [table for table in EVIDENCE_TABLES.values() if table.rows.count() > 1]
        table = self.chance.choice(tables)
        one, other = self.chance.sample(list(table.rows.values_list("pk", flat=True)), 2)
        for old, new in ((one, 100_000), (other, one), (100_000, other)):
            table.rows.filter(pk=old).update(id=new)
        return self._verify(), f"{table.name} {one} and {other}"

    def _seals_exchanged(self) -> tuple[bool, str]:
        one, other = self.chance.sample(range(1, self.seals + 1), 2)
        for old, new in ((one, 100_000), (other, one), (100_000, other)):
            _rows(Seal).filter(pk=old).update(number=new)
        return self._verify(), f"{one} and {other}"

    def _cut_off(self) -> tuple[bool, str]:
        """Delete the end of the chain with its entries; a receipt or the log names the head."""
        first = self._any_seal().number
        for seal in Seal.objects.filter(number__gte=first):
            self._delete(seal)
        return self._verify(), f"from {first} on"


def _rows(model: Any) -> Any:
    """Return the rows of a table, also for what its own manager refuses."""
    return QuerySet(model)

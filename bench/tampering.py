"""Tampers at random with files, receipts and entries, and counts what is not found.

    python bench/tampering.py                     10,000 trials, on SQLite
    python bench/tampering.py --trials 500 --seed 7

With DATABASE_URL set, in a new database of that server. The exit code is 1 if anything was missed.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import empty

LEI = "5493000000000000TAMP"
ROUNDS = 8  # of filing and signing
SHOWN = 5  # trials that were missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000, help="how many (10,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty.database(Path(folder)) as vendor:
        trials = Trials(random.Random(arguments.seed))
        began = time.perf_counter()
        for _ in range(arguments.trials):
            trials.run()
        seconds = time.perf_counter() - began
        print(f"{vendor}, {trials.entries} entries in the chain, {seconds:,.0f} s")
        for name, number in sorted(trials.tried.items()):
            print(f"  {name:28} {number - trials.missed[name]:6,} of {number:6,} found")
        for each in trials.examples:
            print(f"  missed: {each}")
        print(f"{trials.tried.total() - trials.missed.total():,} of {trials.tried.total():,} found")
    return int(bool(trials.missed))


@dataclass
class Trials:
    """A small service with filings, and trials that each leave it as it was."""

    chance: random.Random
    tried: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        from filing.audit.chain import heads

        self.files: list[bytes] = []
        self.receipts: list[bytes] = []
        self._file()
        self._drop_triggers()
        self.head = heads.of_site()
        self.entries = self.head.entries
        self.kinds: dict[str, Callable[[], tuple[bool, str]]] = {
            "byte of a file": self._file_byte,
            "byte of a receipt": self._receipt_byte,
            "byte of a stored proof": self._stored_proof,
            "value of an entry": self._entry_value,
            "fingerprint of an entry": self._entry_fingerprint,
            "value of a link": self._link_value,
            "entry deleted": self._deleted,
            "entry and link deleted": self._deleted_with_link,
            "entry inserted": self._inserted,
            "entries exchanged": self._exchanged,
            "links exchanged": self._links_exchanged,
            "end cut off": self._cut_off,
        }

    def run(self) -> None:
        """Tamper once, in a transaction that is rolled back."""
        from django.db import transaction

        name = self.chance.choice([*self.kinds])
        with transaction.atomic():
            found, what = self.kinds[name]()
            transaction.set_rollback(True)
        self.tried[name] += 1
        if not found:
            self.missed[name] += 1
            if len(self.examples) < SHOWN:
                self.examples.append(f"{name}: {what}")

    def _file(self) -> None:
        """File some submissions as the service does, without checking their records."""
        from filing import audit, submissions
        from filing.access import Caller
        from filing.jobs import queue
        from filing.models import (
            Attempt,
            AuditEvent,
            Filing,
            FilingPeriod,
            Institution,
            Submission,
        )
        from filing.periods import filings
        from filing.receipts import documents
        from filing.statuses import Event, Status
        from filing.submissions import moves

        ann = Caller(id="user-1", username="ann", email="ann@bank.example", leis=frozenset({LEI}))
        institution = Institution.objects.create(activity_year=2024, lei=LEI, name="B", agency=9)
        day = date(2020, 1, 1)
        period = FilingPeriod.objects.create(
            year=2024, opens=day, timely_until=day, closes=day.replace(year=2090)
        )
        Filing.objects.create(institution=institution, period=period)
        for number in range(ROUNDS):
            audit.record(
                AuditEvent.SIGNED_IN, by=ann, reason=f"Sign-in {number} — “quoted” ünïcödé"
            )
            content = self.chance.randbytes(2000)
            submission = submissions.create(lei=LEI, period=period.period, by=ann)
            moves.move(submission, Event.UPLOAD_STARTED, by=ann, reason="A file.")
            job = queue.add("parse", submission=submission)
            Attempt.objects.create(job=job, number=1, owner="host:1", outcome="done", rows=number)
            Submission.objects.filter(pk=submission.pk).update(
                status=Status.VERIFIED, lines=61, size=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
            )  # fmt: skip
            submission = Submission.objects.select_related(
                "filing__institution", "filing__period"
            ).get(pk=submission.pk)
            filings.mark_in_progress(submission.filing)
            signature = submissions.sign(submission, signed=True, by=ann)
            self.files.append(content)
            self.receipts.append(documents.receipt_file(signature.signed_receipt))

    def _drop_triggers(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET session_replication_role = 'replica'")
                return
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")

    def _verify(self) -> bool:
        from filing.audit.chain import verification
        from filing.audit.chain.verification import Expectation
        from filing.receipts import chain_heads

        expected = [Expectation(self.head, "the log"), *chain_heads.of_receipts(all_of_them=True)]
        return verification.verify(full=True, expected=expected).finding_count > 0

    def _changed(self, content: bytes) -> tuple[bytes, int]:
        """Return content with another byte somewhere, and where."""
        place = self.chance.randrange(len(content))
        byte = (content[place] + self.chance.randrange(1, 256)) % 256
        return content[:place] + bytes([byte]) + content[place + 1 :], place

    def _file_byte(self) -> tuple[bool, str]:
        from filing.errors import NotFound
        from filing.receipts import checking

        content, place = self._changed(self.chance.choice(self.files))
        try:
            checking.of_sha256(hashlib.sha256(content).hexdigest())
        except NotFound:
            return True, ""
        return False, f"byte {place}"

    def _receipt_byte(self) -> tuple[bool, str]:
        from filing.errors import BadInput
        from filing.receipts import checking

        original = self.chance.choice(self.receipts)
        content, place = self._changed(original)
        try:
            genuine = checking.check(content).genuine
        except BadInput:
            genuine = False
        return not genuine, f"byte {place}: {original!r} {content!r}"

    def _stored_proof(self) -> tuple[bool, str]:
        from filing.models import SignedReceipt

        receipt = self.chance.choice(list(SignedReceipt.objects.all()))
        place = self.chance.randrange(len(receipt.jws))
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.="
        letter = self.chance.choice([each for each in letters if each != receipt.jws[place]])
        jws = receipt.jws[:place] + letter + receipt.jws[place + 1 :]
        _rows(SignedReceipt).filter(pk=receipt.pk).update(jws=jws)
        return self._verify(), f"{receipt}, letter {place} of the proof"

    def _any_entry(self) -> tuple[Any, dict[str, Any]]:
        """Return a table of evidence that has entries, and one of them."""
        from filing.audit.chain.tables import TABLES

        tables = [table for table in TABLES.values() if table.rows.exists()]
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

    def _link_value(self) -> tuple[bool, str]:
        from filing.models import ChainLink

        link: dict[str, Any] = {**self.chance.choice(list(ChainLink.objects.values()))}
        names = [
            *("table", "entry", "fingerprint", "submission", "submission_position"),
            *("submission_hash", "hash", "sealed_at", "adopted"),
        ]
        name = self.chance.choice([name for name in names if link[name] is not None])
        other = "other" if name == "table" else self._other(link[name])
        if name in {"entry", "submission", "submission_position"}:
            other = 10_000 + self.chance.randrange(10_000)  # a taken one would be refused
        _rows(ChainLink).filter(pk=link["position"]).update(**{name: other})
        return self._verify(), f"link {link['position']} {name}"

    def _deleted(self) -> tuple[bool, str]:
        table, entry = self._any_entry()
        table.rows.filter(pk=entry["id"])._raw_delete("default")
        return self._verify(), f"{table.name} {entry['id']}"

    def _deleted_with_link(self) -> tuple[bool, str]:
        from filing.models import ChainLink

        table, entry = self._any_entry()
        table.rows.filter(pk=entry["id"])._raw_delete("default")
        _rows(ChainLink).filter(table=table.name, entry=entry["id"])._raw_delete("default")
        return self._verify(), f"{table.name} {entry['id']}"

    def _inserted(self) -> tuple[bool, str]:
        """Insert a copy of an entry that is a little different, with a fingerprint or without."""
        from django.db import connection

        table, entry = self._any_entry()
        name = "receipt" if table.name == "signature" else table.time
        copy = {**entry, name: self._other(entry[name]), "id": 100_000}
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
        from filing.audit.chain.tables import TABLES

        tables = [table for table in TABLES.values() if table.rows.count() > 1]
        table = self.chance.choice(tables)
        one, other = self.chance.sample(list(table.rows.values_list("pk", flat=True)), 2)
        for old, new in ((one, 100_000), (other, one), (100_000, other)):
            table.rows.filter(pk=old).update(id=new)
        return self._verify(), f"{table.name} {one} and {other}"

    def _links_exchanged(self) -> tuple[bool, str]:
        from filing.models import ChainLink

        one, other = self.chance.sample(range(1, self.entries + 1), 2)
        for old, new in ((one, 100_000), (other, one), (100_000, other)):
            _rows(ChainLink).filter(pk=old).update(position=new)
        return self._verify(), f"{one} and {other}"

    def _cut_off(self) -> tuple[bool, str]:
        """Delete the end of the chain with its entries; a receipt or the log names the head."""
        from filing.audit.chain.tables import TABLES
        from filing.models import ChainLink

        first = self.chance.randrange(1, self.entries + 1)
        for link in ChainLink.objects.filter(position__gte=first):
            TABLES[link.table].rows.filter(pk=link.entry)._raw_delete("default")
        _rows(ChainLink).filter(position__gte=first)._raw_delete("default")
        return self._verify(), f"from {first} on"


def _rows(model: Any) -> Any:
    """Return the rows of a table, also for what its own manager refuses."""
    from django.db.models import QuerySet

    return QuerySet(model)


if __name__ == "__main__":
    sys.exit(main())

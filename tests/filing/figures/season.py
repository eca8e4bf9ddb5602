"""A made-up season: institutions, periods, files in storage and their signatures.

Beside the rows that the service reads, it keeps the same facts for plain SQL.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import polars as pl
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from filing import storage
from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.parser import parse_transmittal_sheet
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.statuses import FilingStatus, Status
from filing.submissions import record_counts

OPENS = {"2022": date(2023, 1, 1), "2023": date(2024, 1, 1), "2024": date(2025, 1, 1)}
OPENS |= {"2024-Q1": date(2024, 4, 1), "2024-Q2": date(2024, 7, 1), "2024-Q3": date(2024, 10, 1)}
DEADLINES = {"2022": date(2023, 3, 1), "2023": date(2024, 3, 1), "2024": date(2025, 3, 3)}
DEADLINES |= {"2024-Q1": date(2024, 5, 30), "2024-Q2": date(2024, 8, 29)}
DEADLINES |= {"2024-Q3": date(2024, 11, 29)}
Loan = dict[str, Any]


@dataclass
class Season:
    """What was signed, as rows for SQL; folder: where the files are as Parquet."""

    folder: Path
    signed: list[tuple[Any, ...]] = field(default_factory=list)
    texts: list[tuple[str, str, int, Path]] = field(default_factory=list)

    def sign(
        self,
        lei: str,
        period: str,
        number: int,
        at: datetime,
        loans: Sequence[Loan],
        *,
        agency: int = 9,
        city: str = "Denver",
        state: str = "CO",
        cancelled: bool = False,
    ) -> Submission:
        """Store a file, and sign its submission."""
        filing = self.expect(lei, period, agency=agency)
        of = Period.parse(period)
        sheet = examples.correct_transmittal_sheet(of, lei, len(loans), agency=agency)
        sheet |= {"contact_city": city, "contact_state": state}
        base = examples.correct_loan(of, lei)
        lines = [
            sheet,
            *(base | {"uli": f"{lei}{row:06}"} | loan for row, loan in enumerate(loans)),
        ]
        text = "".join(f"{examples.write_record_line(line)}\n" for line in lines).encode()
        submission = Submission(
            filing=filing,
            sequence_number=number,
            status=Status.SIGNED,
            uploaded_at=at - timedelta(hours=2 * number),
            lines=len(lines),
            parse_folder="parsed",
            sha256=hashlib.sha256(text).hexdigest(),
            transmittal_sheet=parse_transmittal_sheet(text.partition(b"\n")[0]),
        )
        name = f"{storage.name_folder(submission)}/{number}.txt"
        submission.raw_file = default_storage.save(name, ContentFile(text))
        submission.save()
        Signature.objects.create(
            submission=submission, receipt=f"{submission}", signed_at=at, signer_id="1"
        )
        status = FilingStatus.CANCELLED if cancelled else FilingStatus.COMPLETED
        Filing.objects.filter(pk=filing.pk).update(status=status)
        record_counts.count_file(submission)
        day = at.astimezone(ZoneInfo("America/New_York")).date()
        self.signed.append(
            (lei, period, number, at, day, agency, city, state, cancelled, len(loans))
        )
        self.texts.append((lei, period, number, Path(default_storage.path(submission.raw_file))))
        return submission

    def expect(self, lei: str, period: str, *, agency: int = 9, **facts: Any) -> Filing:
        """Return a filing that is expected, with its institution and period."""
        of = Period.parse(period)
        filing_period, _ = FilingPeriod.objects.get_or_create(
            year=of.year,
            quarter=of.quarter_name if of.quarter else "",
            defaults={
                "opens": OPENS[period],
                "timely_until": DEADLINES[period],
                "closes": date(2040, 12, 31),
            },
        )
        institution, _ = Institution.objects.get_or_create(
            lei=lei,
            activity_year=of.year,
            defaults={"name": f"Bank {lei[-2:]}", "agency": agency, **facts},
        )
        return Filing.objects.get_or_create(institution=institution, period=filing_period)[0]

    def open_database(self) -> duckdb.DuckDBPyConnection:
        """Return a database with the records as Parquet, and the signatures as a table.

        It reads the texts by itself: every column is text, in the order of the fields.
        """
        names = [spec.name for spec in LAR]
        columns = "{" + ", ".join(f"'{name}': 'VARCHAR'" for name in names) + "}"
        database = duckdb.connect()
        for lei, period, number, path in self.texts:
            target = self.folder / f"{lei}-{period}-{number}.parquet"
            database.execute(
                f"COPY (SELECT '{lei}' AS filer, '{period}' AS period, {number} AS number, * FROM "
                f"read_csv('{path}', delim='|', header=false, skip=1, quote='', escape='', "
                f"columns={columns}, null_padding=true)) TO '{target}' (FORMAT parquet)"
            )
        database.execute(f"CREATE VIEW lar AS SELECT * FROM '{self.folder}/*.parquet'")
        signed = pl.DataFrame(
            self.signed,
            [
                *("lei", "period", "number", "signed_at", "day", "agency", "city", "state"),
                *("cancelled", "records"),
            ],
            orient="row",
        )
        database.execute("CREATE TABLE signed AS SELECT * FROM signed")
        del signed
        facts = Institution.objects.values_list("lei", "activity_year", "name", "is_test")
        institutions = pl.DataFrame(
            list(facts), ["lei", "activity_year", "name", "is_test"], orient="row"
        )
        database.execute("CREATE TABLE institutions AS SELECT * FROM institutions")
        del institutions
        return database


def draw_loans(number: int, seed: int, period: str) -> Iterator[Loan]:
    """Yield records of every kind that a figure counts."""
    chance = random.Random(seed)
    of = Period.parse(period)
    for _ in range(number):
        denied = chance.random() < 0.4
        reasons = chance.sample(range(1, 10), 4) if denied else [10, 0, 0, 0]
        if chance.random() < 0.1:
            reasons = [1111, 0, 0, 0]
        months = range(of.starts.month, of.ends.month + 1)
        yield {
            "action_taken": 3 if denied else chance.choice([1, 1, 1, 2, 6]),
            "action_taken_date": int(f"{of.year}{chance.choice(months):02}15"),
            "open_end_line_of_credit": chance.choices([1, 2, 1111], [4, 6, 1 if seed % 3 else 0])[
                0
            ],
            "construction_method": chance.choice([1, 1, 2]),
            "total_units": chance.choice([1, 1, 2, 4, 5, 60]),
            "county": chance.choice(["06037", "06059", "36061", "NA", "6037", ""]),
            "street": chance.choice(["1 Main St"] * 8 + ["Exempt", "exempt"]),
            "applicant_credit_score": chance.choice([700, 1111]),  # does not count as exempt
            **{f"denial_reason_{place}": each for place, each in enumerate(reasons, 1)},
        }


def at(day: str, hour: int = 12) -> datetime:
    """Return an hour of a day in UTC."""
    return datetime.fromisoformat(f"{day}T{hour:02}:30:00").replace(tzinfo=UTC)

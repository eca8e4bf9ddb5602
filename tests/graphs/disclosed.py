"""Public rows of a submission."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import polars as pl
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication.records import quarterly_facts
from filing import storage
from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.statuses import Status
from tests.graphs.loans import FILER

SIGNED_AT = datetime(2024, 5, 1, tzinfo=UTC)


def disclosed(period: str, facts: pl.DataFrame, *, lei: str = FILER, number: int = 1) -> Submission:
    """Return a signed submission whose facts lie in storage, such as of `2024-Q1`."""
    year, _, quarter = period.partition("-")
    institution, _ = Institution.objects.get_or_create(
        activity_year=int(year), lei=lei, defaults={"agency": 9, "quarterly_filer": lei == FILER}
    )
    days = dict.fromkeys(("opens", "timely_until", "closes"), date(2024, 1, 1))
    window, _ = FilingPeriod.objects.get_or_create(year=int(year), quarter=quarter, defaults=days)
    filing, _ = Filing.objects.get_or_create(institution=institution, period=window)
    submission = Submission.objects.create(
        filing=filing, sequence_number=number, status=Status.SIGNED
    )
    Signature.objects.create(
        submission=submission,
        receipt=f"{lei}-{period}-{number}",
        signed_at=SIGNED_AT + timedelta(days=number),
    )
    folder = f"{storage.name_folder(submission)}/disclose"
    with storage.make_work_folder() as made:
        facts.write_parquet(made / "facts")
        storage.store_file(made / "facts", f"{folder}/{quarterly_facts.FILE}")
    ModifiedLar.objects.create(
        submission=submission, folder=folder, sha256=f"{number:064}", made_at=timezone.now()
    )
    return submission

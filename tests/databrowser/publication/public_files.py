"""Public rows of a few loans: as a frame, as a published file, as a signed submission."""

from __future__ import annotations

import hashlib
import uuid
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
from django.utils import timezone

from databrowser.models import ModifiedLar
from databrowser.publication.columns import BY_NAME, SCHEMA
from filing import storage
from filing.jobs import queue
from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.statuses import Status

USUAL: dict[str, Any] = {
    **dict.fromkeys(SCHEMA, "1"),
    "activity_year": 2023,
    "state_code": "MD",
    "county_code": "24031",
    "census_tract": "24031700101",
    "derived_msa_md": "47894",
    "loan_amount": 205000.0,
    "applicant_ethnicity_2": "",
    "conforming_loan_limit": "C",
    "derived_loan_product_type": "Conventional:First Lien",
    "derived_dwelling_category": "Single Family (1-4 Units):Site-Built",
    "derived_ethnicity": "Not Hispanic or Latino",
    "derived_race": "White",
    "derived_sex": "Male",
    "debt_to_income_ratio": "36",
    "applicant_age": "25-34",
    "co_applicant_age": "9999",
    "applicant_age_above_62": "No",
    "co_applicant_age_above_62": "NA",
}


def public(*loans: dict[str, Any]) -> pl.DataFrame:
    """Return public rows: the usual loan, each with some changes."""
    return pl.DataFrame([{**USUAL, **loan} for loan in loans], schema=SCHEMA)


def published(
    target: Path, *loans: dict[str, Any], separator: str = ",", browser: bool = False
) -> Path:
    """Write public rows as a published file. browser: with the names of the data browser."""
    rows = public(*loans)
    names = {name: column.browser for name, column in BY_NAME.items()} if browser else {}
    target.write_text(rows.rename(names).write_csv(separator=separator))
    return target


def sign(
    lei: str,
    *loans: dict[str, Any],
    year: int = 2023,
    quarter: str = "",
    disclosed: bool = True,
    signed_at: datetime | None = None,
) -> Submission:
    """Return a new signed submission, annual unless told, with the public rows of its loans."""
    institution, _ = Institution.objects.get_or_create(
        activity_year=year, lei=lei, defaults={"name": f"Bank {lei[-1]}", "agency": 9}
    )
    period, _ = FilingPeriod.objects.get_or_create(
        year=year,
        quarter=quarter,
        defaults={
            "opens": date(2020, 1, 1),
            "timely_until": date(2030, 1, 1),
            "closes": date(2040, 1, 1),
        },
    )
    filing, _ = Filing.objects.get_or_create(institution=institution, period=period)
    submission = Submission.objects.create(
        filing=filing,
        sequence_number=filing.submissions.count() + 1,
        status=Status.SIGNED,
        lines=len(loans) + 1,
        transmittal_sheet={
            "institution_name": institution.name,
            "contact_state": "MD",
            "contact_city": "Bethesda",
            "contact_zip_code": "20814",
            "federal_agency": 9,
            "total_lines": len(loans),
            "tax_id": "99-9999999",
            "lei": lei,
        },
    )
    Signature.objects.create(
        submission=submission, receipt=f"{submission}", signed_at=signed_at or timezone.now()
    )
    if disclosed:
        disclose(submission, *loans)
    return submission


def disclose(submission: Submission, *loans: dict[str, Any]) -> ModifiedLar:
    """Keep the public rows of a submission, as its errand does."""
    folder = storage.name_folder(submission, "disclose", uuid.uuid4().hex)
    with storage.make_work_folder() as made:
        rows = made / "loans.parquet"
        year = submission.period.year
        whole = [{"activity_year": year, **loan, "lei": submission.lei} for loan in loans]
        public(*whole).write_parquet(rows)
        sha256 = hashlib.sha256(rows.read_bytes()).hexdigest()
        storage.store_file(rows, f"{folder}/loans.parquet")
    made, _ = ModifiedLar.objects.update_or_create(
        submission=submission,
        defaults={
            "job": queue.add_job("disclose"),
            "folder": folder,
            "rows": len(loans),
            "sha256": sha256,
            "made_at": timezone.now(),
        },
    )
    return made

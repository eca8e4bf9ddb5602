"""The Institution Register Summary (IRS) of a filing: who may read it, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.utils.dateformat import format as in_format

from databrowser.models import ModifiedLar
from databrowser.publication.modified_lars import register_summary
from databrowser.publication.modified_lars.register_summary import AMOUNT, FIGURES, MSA_MD, RECORDS
from filing import access, standing
from filing.day_hours import to_filing_zone
from filing.errors import NotFound, Refusal
from filing.lar.years import Period
from filing.models import Job
from filing.reference.census import NO_MSA_MD
from filing.reference_data import registry

NO_MSA_MD_ID, NO_MSA_MD_NAME = "-----", "MSA/MD NOT AVAILABLE"
# Of each figure, its name in JSON and its heading in the CSV file.
COLUMNS: dict[str, tuple[str, str]] = {
    RECORDS: ("totalLars", "Total Lars"),
    AMOUNT: ("totalAmount", "Total Amount ($000's)"),
    "conv": ("conv", "CONV"),
    "fha": ("fha", "FHA"),
    "va": ("va", "VA"),
    "fsa": ("fsa", "FSA"),
    "site_built": ("siteBuilt", "Site Built"),
    "manufactured": ("manufactured", "Manufactured"),
    "one_to_four_units": ("oneToFourUnits", "1-4 units"),
    "five_plus_units": ("fivePlusUnits", "5+ units"),
    "home_purchase": ("homePurchase", "Home Purchase"),
    "home_improvement": ("homeImprovement", "Home Improvement"),
    "refinancing": ("refinancing", "Refinancing"),
    "cash_out_refinancing": ("cashOutRefinancing", "Cash-out Refinancing"),
    "other_purpose": ("otherPurpose", "Other Purpose"),
    "not_applicable_purpose": ("notApplicablePurpose", "Purpose N/A"),
}
_NAMES = {name: COLUMNS[name][0] for name in FIGURES}
_HEADER = ", ".join(["MSA/MD", "MSA/MD Name", *(COLUMNS[name][1] for name in FIGURES)])


class SummaryInPreparation(Refusal):
    """The filing is signed, and its summary is not prepared yet."""

    status = 503
    seconds = 60

    def __init__(self, lei: str, period: str) -> None:
        super().__init__(
            f"The Institution Register Summary of {lei} for {period} is being prepared. "
            "Try again in a minute."
        )


@dataclass(frozen=True)
class RegisterSummary:
    """The IRS of the submission of a filing that counts."""

    lar: ModifiedLar
    period: Period
    lei: str

    @cached_property
    def body(self) -> dict[str, Any]:
        """The summary as JSON. Amounts are in thousands of dollars."""
        names = registry.find_msa_md_names([self.period.year])
        rows = self.lar.register_summary
        assert self.lar.made_at is not None
        assert rows is not None
        return {
            "lei": self.lei,
            "institutionName": self.lar.submission.filing.institution.name,
            "table": "IRS",
            "type": "Disclosure",
            "year": self.period.year,
            "period": str(self.period),
            "reportDate": in_format(to_filing_zone(self.lar.made_at), "m/d/Y h:i A"),
            "msas": [{**_place(row[MSA_MD], names), **_figures(row)} for row in rows],
            "total": _figures(_total(rows)),
        }

    @property
    def lines(self) -> list[tuple[dict[str, Any], list[int]]]:
        """Each MSA/MD with its figures, in the order of the columns."""
        return [(msa, [msa[name] for name in _NAMES.values()]) for msa in self.body["msas"]]

    @property
    def total_line(self) -> list[int]:
        """The totals, in the order of the columns."""
        return [self.body["total"][name] for name in _NAMES.values()]

    @property
    def csv(self) -> str:
        """The summary as CSV: lines end in a line feed, the last one has the totals."""
        lines = [
            f'{msa["id"]},"{msa["name"]}", {_join(figures)}'  # no name has quotes of its own
            for msa, figures in self.lines
        ]
        return "\n".join([_HEADER, *lines, f"Totals,, {_join(self.total_line)}", ""])

    @property
    def file_name(self) -> str:
        """The name under which the CSV file is saved."""
        return f"{self.period}-{self.lei}-nationwide-irs.csv"


def no_summary(lei: str, period: str) -> str:
    """Return the message for a filing that is not signed."""
    return f"There is no Institution Register Summary of {lei} for {period}."


def is_public(period: Period) -> bool:
    """Tell whether everyone may read the summaries of a period."""
    return period.year in settings.IRS_PUBLIC_YEARS


def find_register_summary(
    period: Period, lei: str, caller: access.Caller | None
) -> RegisterSummary:
    """Return the IRS of the submission that counts, for a caller who may read it.

    While that of a new submission is prepared, it is the one of what was signed before. caller:
    None for an anonymous one, whom the view has admitted because the period is public.

    Raises: AccessDenied; NotFound; SummaryInPreparation.
    """
    if not is_public(period):
        assert caller is not None
        access.require_reader(caller, lei, period)
    of_filing = {
        "submission__filing__institution__lei": lei,
        "submission__filing__period__year": period.year,
        "submission__filing__period__quarter": period.quarter_name,
    }
    lars = ModifiedLar.objects.filter(**of_filing)
    if caller is None or not access.may_read(caller, lei, period):
        lars = lars.filter(standing.is_for_the_public("submission__"), withdrawn_at=None)
    related = lars.select_related("submission__filing__institution").defer(None)
    lar = related.current().filter(register_summary__isnull=False).first()
    if lar is not None:
        return RegisterSummary(lar, period, lei)
    of_record = lars.filter(standing.is_on_record("submission__"), register_summary__isnull=True)
    if of_record.exclude(job__state=Job.State.FAILED).exists():
        raise SummaryInPreparation(lei, str(period))
    raise NotFound(no_summary(lei, str(period)))


def _place(code: int, names: Any) -> dict[str, str]:
    """Return the id and the name of an MSA/MD as the summary has them."""
    if not code:
        return {"id": NO_MSA_MD_ID, "name": NO_MSA_MD_NAME}
    name = "" if code == NO_MSA_MD else names.get(f"{code:05}", "")
    return {"id": f"{code:05}", "name": name or NO_MSA_MD_NAME}


def _figures(row: dict[str, int]) -> dict[str, int]:
    return {name: row[stored] for stored, name in _NAMES.items()}


def _total(rows: Iterable[dict[str, int]]) -> dict[str, int]:
    everywhere = [{**row, MSA_MD: 0} for row in rows]
    return (register_summary.sum_rows(everywhere) or [dict.fromkeys(FIGURES, 0)])[0]


def _join(figures: Iterable[int]) -> str:
    return ", ".join(map(str, figures))

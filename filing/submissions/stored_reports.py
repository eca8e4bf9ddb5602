"""Reports of the edits that the parse stage stores, for the edits stage to publish.

The edits are run while the file is parsed, with the facts of that moment. The report is in the
folder that the edits stage would have for the same attempt. It counts only while these facts hold;
else, and whenever the edits are run again, the edits stage computes its own.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from filing import storage
from filing.edits import catalogue
from filing.edits.engine import CheckReport, EditOutcome
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.formats import Record
from filing.models import Institution, Submission
from filing.reference_data import registry
from filing.registries import Lease
from filing.submissions import rules_run


@dataclass(frozen=True)
class CheckBasis:
    """What edits are run with. identity: two with the same one give the same report."""

    facts: EditFacts
    identity: dict[str, Any]

    @property
    def rules(self) -> str:
        """The rules, as `rules_run.describe_rules` has them."""
        return str(self.identity["rules"])

    @property
    def census(self) -> str:
        """The census, in storage; blank for none."""
        return str(self.identity["census"])


def find_basis(submission: Submission, sheet: Record | None) -> CheckBasis:
    """Return what the edits of a submission are run with now. Raises: NoRulebookError."""
    period, institution = submission.period, submission.filing.institution
    # Before it is read: a change in between is noticed later.
    census = registry.find_active_file(registry.CENSUS, period.year)
    facts = load_facts(submission, sheet)
    identity = {
        "rules": rules_run.describe_rules(period, has_census=facts.census is not None),
        "panel": asdict(_find_panel_record(institution)),
        "census": census.path if census else "",
    }
    return CheckBasis(facts, identity)


def load_facts(submission: Submission, sheet: Record | None) -> EditFacts:
    """Return the facts that the edits may look up besides the loans. Raises: NoRulebookError."""
    return EditFacts(
        period=submission.period,
        transmittal_sheet=sheet,
        institution=_find_panel_record(submission.filing.institution),
        census=registry.find_census(submission.period.year),
    )


def _find_panel_record(institution: Institution) -> PanelRecord:
    return PanelRecord(institution.lei, institution.agency, institution.tax_id)


def store_report(
    submission: Submission, lease: Lease, report: CheckReport, basis: CheckBasis, work: Path
) -> None:
    """Store a report of the parse stage. work: the folder with its findings, which are moved."""
    folder = storage.name_folder(submission, "edits", lease.attempt_id)
    outcomes = [
        {
            "code": outcome.edit.code,
            "level": outcome.edit.level.value,
            "total": outcome.total,
            "position": outcome.position,
            "listed": outcome.listed,
            "figures": outcome.figures,
            "reason": outcome.reason,
        }
        for outcome in report.outcomes
    ]
    path = work / storage.REPORT
    path.write_text(
        json.dumps({"basis": basis.identity, "loans": report.loans, "outcomes": outcomes})
    )
    for name in (storage.FINDINGS, storage.REPORT):
        storage.store_file(work / name, f"{folder}/{name}")


def find_report(
    submission: Submission, lease: Lease, basis: CheckBasis
) -> tuple[CheckReport, str] | None:
    """Return the report of the parse stage, and the folder of its findings, while it counts."""
    folder = submission.parse_folder.replace("/parse-", "/edits-")
    name = f"{folder}/{storage.REPORT}"
    is_first = lease.attempt == 1 and not submission.edits_folder
    if not is_first or not default_storage.exists(name):
        return None
    stored = json.loads(storage.open_local_copy(name).read_text())
    if stored["basis"] != basis.identity:
        return None
    outcomes = tuple(
        EditOutcome(
            catalogue.find_edit(outcome.pop("code"), basis.facts.rules, outcome.pop("level")),
            **outcome,
        )
        for outcome in stored["outcomes"]
    )
    return CheckReport(stored["loans"], outcomes), folder

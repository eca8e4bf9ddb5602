"""The edits stage: runs the edits of the period, and selects the results for the filer."""

from __future__ import annotations

from filing import storage
from filing.edits import engine
from filing.edits.edit import Edit, Kind, Level
from filing.edits.facts import Facts, Panel
from filing.models import Institution, Submission
from filing.reference_data import registry
from filing.registries.kinds import Lease
from filing.statuses import Event
from filing.submissions import processing, rules_run
from filing.submissions.processing import CheckResult


def run(submission: Submission, lease: Lease) -> None:
    """Run the edits on the file of a submission, and publish the results. No job follows.

    Raises: NotText for a file that is not text; NoRulebookError; LostLease.
    """
    folder = storage.folder(submission, "edits", lease.mark)
    raw = storage.local(submission.raw_file, on_block=lease.moves)
    lease.rows_total = submission.lines

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows

    with storage.work_folder() as work:
        findings = work / storage.FINDINGS
        with findings.open("wb") as findings_file:
            facts = facts_of(submission)
            has_census = facts.census is not None
            rules = rules_run.describe_rules(submission.period, has_census=has_census)
            report = engine.run(raw, facts, findings_file, progress=progress)
        lease.rows_done = submission.lines
        storage.store(findings, f"{folder}/{storage.FINDINGS}")
    processing.publish_edits(submission, lease, _result_of(report), folder, rules=rules)
    storage.discard_other_attempts(submission, "edits", current=folder)


def facts_of(submission: Submission) -> Facts:
    """Return the facts that the edits may look up besides the file."""
    institution: Institution = submission.filing.institution
    return Facts(
        period=submission.period,
        transmittal_sheet=submission.transmittal_sheet,
        institution=Panel(institution.lei, institution.agency, institution.tax_id),
        census=registry.census(submission.period.year),
    )


def _result_of(report: engine.Report) -> CheckResult:
    """Return the outcomes of a report that count, and the moves that follow.

    Quality and macro edits of a file with syntactical or validity errors are left out: the filer
    would have to review them again for the corrected file. The quality edits of the transmittal
    sheet belong to the first stage and are included.
    """
    triggered = {outcome.edit.kind for outcome in report.outcomes if outcome.total}
    stops = bool(triggered & {Kind.SYNTACTICAL, Kind.VALIDITY})
    outcomes = [
        outcome
        for outcome in report.outcomes
        if (outcome.total or not outcome.run) and not (stops and _comes_later(outcome.edit))
    ]
    to_verify = {outcome.edit.kind for outcome in outcomes if outcome.total}
    quality, macro = Kind.QUALITY in to_verify, Kind.MACRO in to_verify
    return CheckResult(outcomes, quality, macro, _events(stops=stops, quality=quality, macro=macro))


def _comes_later(edit: Edit) -> bool:
    is_quality = edit.kind is Kind.QUALITY and edit.level is not Level.TS
    return is_quality or edit.kind is Kind.MACRO


def _events(*, stops: bool, quality: bool, macro: bool) -> list[Event]:
    if stops:
        return [Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS]
    events = [Event.SYNTACTICAL_AND_VALIDITY_PASSED]
    events.append(Event.QUALITY_FOUND_ERRORS if quality else Event.QUALITY_PASSED)
    if macro:
        events.append(Event.MACRO_FOUND_ERRORS)
    elif not quality:
        events += [Event.MACRO_PASSED, Event.NOTHING_TO_VERIFY]
    return events

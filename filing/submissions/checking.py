"""The edits stage: runs the edits of the period, and finds what the filer may act on."""

from __future__ import annotations

from filing import storage
from filing.edits import engine
from filing.edits.edit import Edit, Kind, Level
from filing.edits.facts import Facts, Panel
from filing.models import Institution, Submission
from filing.reference_data import registry
from filing.registries.kinds import Lease
from filing.statuses import Event
from filing.submissions import processing
from filing.submissions.processing import Checked


def run(submission: Submission, lease: Lease) -> None:
    """Run the edits on the file of a submission, and publish what they found. Nothing follows.

    Raises: NotText for a file that is none; LostLease.
    """
    folder = storage.folder(submission, "edits", lease.mark)
    raw = storage.local(submission.raw_file)
    lease.rows_total = submission.lines

    def progress(rows: int, position: int) -> None:
        lease.rows_done = rows

    with storage.workshop() as made:
        findings = made / storage.FINDINGS
        with findings.open("wb") as findings_file:
            report = engine.run(raw, _facts(submission), findings_file, progress=progress)
        lease.rows_done = submission.lines
        storage.keep(findings, f"{folder}/{storage.FINDINGS}")
    processing.keep_checked(submission, lease, _checked(report), folder)
    storage.discard_other_attempts(submission, "edits", kept=folder)


def _facts(submission: Submission) -> Facts:
    """Return what the edits may look up beside the file itself."""
    institution: Institution = submission.filing.institution
    return Facts(
        period=submission.period,
        transmittal_sheet=submission.transmittal_sheet,
        institution=Panel(institution.lei, institution.agency, institution.tax_id),
        census=registry.census(submission.period.year),
    )


def _checked(report: engine.Report) -> Checked:
    """Return what counts of a report, and where it leads the submission.

    Quality and macro edits of a file with syntactical or validity errors stay out: they would
    have to be looked at again with the corrected file. The transmittal sheet's own quality edits
    belong to the first stage and are kept.
    """
    fired = {outcome.edit.kind for outcome in report.outcomes if outcome.total}
    stops = bool(fired & {Kind.SYNTACTICAL, Kind.VALIDITY})
    kept = [
        outcome
        for outcome in report.outcomes
        if (outcome.total or not outcome.run) and not (stops and _comes_later(outcome.edit))
    ]
    to_act_on = {outcome.edit.kind for outcome in kept if outcome.total}
    quality, macro = Kind.QUALITY in to_act_on, Kind.MACRO in to_act_on
    return Checked(kept, quality, macro, _events(stops=stops, quality=quality, macro=macro))


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

"""What the rules of another year find in the file of a submission. Nothing here writes."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from filing.edits import catalogue, rules_difference
from filing.edits.edit import Edit, EditKind
from filing.edits.facts import EditFacts
from filing.edits.rules_difference import RulesDifference, RulesResult
from filing.errors import BadInput, NotReady
from filing.lar.years import Period, YearStage, describe_supported, is_supported
from filing.models import EditResult, Submission
from filing.statuses import EDITED, Status
from filing.submissions import downloads, rules_run, stored_reports


def find_next_rules(submission: Submission) -> int | None:
    """Return the year after that of a checked file, if its rules can be compared now."""
    following = Period(submission.period.year + 1, submission.period.quarter)
    is_comparable = _has_results(submission) and not submission.files_removed_at
    return following.year if is_comparable and is_supported(following) else None


def compare_with_rules(submission: Submission, rules_year: int) -> RulesDifference:
    """Return what the rules of another year find in a checked file, beside its results.

    Of the edits that differ, those of the other year are run. Those of its own are stored, except
    the quality and macro edits of a file with syntactical or validity edits.

    Raises: BadInput for a year without rules, its own year, or a large file; NotReady while there
    are no results; NotFound for a file that was removed.
    """
    _require_comparable(submission, rules_year)
    own_facts = stored_reports.load_facts(submission, submission.transmittal_sheet)
    if submission.status in EDITED and own_facts.rules != submission.rules_period:
        raise NotReady(
            f"The rules of {submission.period.year} changed, and the edits are run on {submission} "
            "again. Try again when checking has finished."
        )
    other_facts = replace(own_facts, rules_year=rules_year)
    before, after = (
        _stored(submission, own_facts),
        rules_difference.list_runnable_edits(other_facts),
    )
    edits, other_edits = rules_difference.find_differing_edits(before, after)
    to_run = [edit for edit in edits if not _is_stored(submission, edit)]
    if all(other_facts.lacks(edit, whole_file=True) for edit in other_edits) and not to_run:
        return rules_difference.compare_results(before, after)
    path = downloads.find_raw_file(submission)
    _require_small(submission, rules_year)
    totals = rules_difference.count_failing_records(path, own_facts, to_run)
    return rules_difference.compare_results(
        replace(before, totals={**before.totals, **totals}),
        replace(
            after, totals=rules_difference.count_failing_records(path, other_facts, other_edits)
        ),
    )


def _require_comparable(submission: Submission, rules_year: int) -> None:
    period = submission.period
    if rules_year == period.year:
        raise BadInput(
            f"{submission} is a file of {rules_year}. Choose another year to compare its rules."
        )
    if not is_supported(other := Period(rules_year, period.quarter)):
        raise BadInput(f"There are no rules of {other}: {describe_supported()}.")
    if not _has_results(submission):
        raise NotReady(f"The edits have not been run on {submission}, so it cannot be compared.")


def _has_results(submission: Submission) -> bool:
    """Return whether the edits of rules that exist were run on a submission."""
    was_checked = submission.status in EDITED or submission.status == Status.SIGNED
    has_rules = is_supported(submission.period, YearStage.DRAFT)
    return was_checked and has_rules and not rules_run.was_signed_without_rules(submission)


def _require_small(submission: Submission, rules_year: int) -> None:
    """Raise BadInput for a file that is too large to be run while a person waits."""
    if submission.size <= settings.PUBLIC_UPLOAD_LIMIT:
        return
    period = submission.period
    quarter = f" --quarter {period.quarter_name}" if period.is_quarterly else ""
    words = f"FILE --year {period.year}{quarter} --rules {rules_year}"
    raise BadInput(
        f"The file has {submission.records:,} records, and files of more than "
        f"{filesizeformat(settings.PUBLIC_UPLOAD_LIMIT)} are not compared here. Compare it on your "
        f"computer: hmda check {words}, or manage.py check_lar {words}"
    )


def _stored(submission: Submission, facts: EditFacts) -> RulesResult:
    """Return the results of a submission as they are stored. facts: for those that are not."""
    rules = submission.rules_period
    rows = EditResult.objects.filter(submission=submission)
    row_by_edit = {(row.code, row.level): row for row in rows}
    results = {
        edit: row_by_edit.get((edit.code, edit.level.value)) for edit in catalogue.list_edits(rules)
    }
    return RulesResult(
        year=submission.period.year,
        rulebook=rules.year,
        reasons={
            edit: (row.not_run if row else "")
            if _is_stored(submission, edit)
            else facts.lacks(edit, whole_file=True)
            for edit, row in results.items()
        },
        totals={edit: row.total for edit, row in results.items() if row},
    )


def _is_stored(submission: Submission, edit: Edit) -> bool:
    """Return whether the result of an edit is stored: not what is listed once others pass."""
    is_stopped = submission.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS
    return not is_stopped or edit.kind in (EditKind.SYNTACTICAL, EditKind.VALIDITY)

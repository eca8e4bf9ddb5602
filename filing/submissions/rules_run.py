"""Which rules a submission was checked with: those now in force, and whether all of them were run.

A missing rule is never a passed rule. What could not be run is said wherever results are read, and
while the year waits for the missing data, the file cannot be certified.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from filing import day_hours
from filing.access import SERVICE
from filing.edits.edit import EditNeed
from filing.errors import Conflict, Refusal
from filing.jobs import queue
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    Period,
    YearRules,
    filing_years,
    find_withdrawals,
    find_year,
    period_exists,
)
from filing.models import EditResult, Submission
from filing.reference_data import registry
from filing.statuses import EDITED, Event, Status
from filing.submissions import moves

SWEEP_AT_MOST = 500  # submissions whose edits one sweep queues again
# The rulebooks of the releases that did not record yet which rules they ran.
_UNRECORDED = range(2018, 2027)
_WITHOUT_CENSUS = " without a census"
_CENSUS = EditNeed.CENSUS.value
_AGAIN = "The rules or the reference data of the year changed."
_AGAIN_SOON = (
    f"{_AGAIN} The edits are run on this file again. When they are, review the results and sign."
)


def describe_rules(period: Period, *, has_census: bool) -> str:
    """Return the rules that a check of a period runs now, as `Submission.rules_run` stores them."""
    rules = filing_years()[period.year]
    withdrawn = "".join(f" -{code}" for code in sorted(_withdrawn(rules)))
    return f"{rules.rulebook}{withdrawn}{'' if has_census else _WITHOUT_CENSUS}"


def find_unrun_edits(submission: Submission) -> list[EditResult]:
    """Return the edits that could not be run, each with the reason, by code."""
    results = EditResult.objects.not_run_only().filter(submission=submission)
    return list(results.order_by("code", "level"))


def group_reasons_not_run(results: Iterable[EditResult]) -> list[tuple[str, list[str]]]:
    """Return each reason for which edits were not run, with the codes of its edits."""
    ordered = sorted(results, key=lambda result: (result.not_run, result.code))
    return [
        (reason, list(dict.fromkeys(result.code for result in each)))
        for reason, each in groupby(ordered, key=lambda result: result.not_run)
    ]


def describe_unrun(results: Iterable[EditResult]) -> str:
    """Return in sentences which edits were not run, and why; blank if there are none."""
    return " ".join(
        f"Not run: {', '.join(codes)} ({reason})."
        for reason, codes in group_reasons_not_run(results)
    )


def describe_missing_for_signature(submission: Submission, unrun: Iterable[EditResult]) -> str:
    """Return why a file cannot be certified until its year has the missing data, or a blank.

    unrun: the results of its edits that were not run.
    """
    rules = find_year(submission.period.year)
    waits_for = {
        need.value for need in EditNeed if rules and need.name.lower() in rules.signing_waits_for
    }
    waiting = [each for each in unrun if waits_for & set(each.not_run.split("; "))]
    if not waiting:
        return ""
    return (
        f"{describe_unrun(waiting)} The file can be signed once these edits are run. You need not "
        "upload it again: they are run as soon as the data are loaded."
    )


def find_reasons_to_wait(submissions: Iterable[Submission]) -> dict[int, str]:
    """Return, by key, why verified files cannot be certified yet, without those that can be.

    That is: edits are run on them again, or could not be run. In one query, and one for each year.
    """
    verified = [
        submission
        for submission in submissions
        if submission.status == Status.VERIFIED and submission.discarded_at is None
    ]
    if not verified:
        return {}
    unrun: dict[int, list[EditResult]] = {submission.pk: [] for submission in verified}
    for result in EditResult.objects.not_run_only().filter(submission__in=unrun):
        unrun[result.submission_id].append(result)
    has_census = {
        year: _has_census(year) for year in {submission.period.year for submission in verified}
    }
    reasons = {
        submission.pk: _AGAIN_SOON
        if _is_outdated(submission, unrun[submission.pk], has_census[submission.period.year])
        else describe_missing_for_signature(submission, unrun[submission.pk])
        for submission in verified
    }
    return {key: reason for key, reason in reasons.items() if reason}


def find_reason_to_wait(submission: Submission) -> str:
    """Return why a verified file cannot be certified yet; blank if it can."""
    return find_reasons_to_wait([submission]).get(submission.pk, "")


def require_all_rules_run(submission: Submission) -> None:
    """Refuse to certify a file whose rules have changed, or were not all run.

    Raises: Conflict, which names the edits.
    """
    if reason := find_reason_to_wait(submission):
        raise Conflict(reason)


def _has_census(year: int) -> bool:
    return registry.find_active_file(registry.CENSUS, year) is not None


def _is_outdated(submission: Submission, unrun: Iterable[EditResult], has_census: bool) -> bool:
    """Return whether an unsigned submission was checked with other rules than those in force."""
    rules = find_year(submission.period.year)
    if rules is None:
        return False
    if not submission.rules_run:  # checked under a release that did not record them, if at all
        lacks_census = any(_CENSUS in result.not_run for result in unrun)
        return not _was_run_unrecorded(rules) or (has_census and lacks_census)
    return submission.rules_run not in _in_force(rules, has_census=has_census)


def _in_force(rules: YearRules, *, has_census: bool) -> set[str]:
    """Return what `rules_run` may be where a file need not be checked again."""
    now = describe_rules(Period(rules.year), has_census=has_census)
    # A census that was removed does not make results worse.
    return {now, now.removesuffix(_WITHOUT_CENSUS)}


def find_outdated_submissions() -> Iterator[QuerySet[Submission]]:
    """Yield, by year, the unsigned submissions that were checked with rules no longer in force."""
    for year, rules in filing_years().items():
        has_census = _has_census(year)
        current = Q(rules_run__in=_in_force(rules, has_census=has_census))
        if _was_run_unrecorded(rules):
            unrecorded = Q(rules_run="")  # checked under a release that did not record it
            current |= unrecorded & Q(~_lacks_census()) if has_census else unrecorded
        yield Submission.objects.filter(
            ~current, filing__period__year=year, status__in=EDITED, discarded_at=None
        )


def _lacks_census() -> Exists:
    results = EditResult.objects.filter(submission=OuterRef("pk"), not_run__contains=_CENSUS)
    return Exists(results)


def run_outdated_again() -> int:
    """Queue the edits of outdated submissions again, at most `SWEEP_AT_MOST`; return how many."""
    queued = 0
    for outdated in find_outdated_submissions():
        related = outdated.select_related("filing__institution", "filing__period")
        for submission in related.exclude(raw_file="").order_by("pk")[: SWEEP_AT_MOST - queued]:
            queued += _run_again(submission)
    return queued


def follow_reference_data(**_: object) -> None:
    """Run outdated edits again once a change of reference data is committed."""
    transaction.on_commit(run_outdated_again)


def is_signed_without_rules() -> Q:
    """Return the condition on signed submissions whose period had no rules, so no edit was run."""
    had_rules = Q(filing__period__quarter="") | Q(filing__period__year__gte=FIRST_QUARTERLY_YEAR)
    had_rules &= Q(filing__period__year__in=_UNRECORDED)
    return Q(status=Status.SIGNED, rules_run="") & ~had_rules


def was_signed_without_rules(submission: Submission) -> bool:
    """Return whether a submission is signed although no edit was run: its period had no rules."""
    if submission.status != Status.SIGNED or submission.rules_run:
        return False
    period = submission.period
    return not period_exists(period) or period.year not in _UNRECORDED


def _run_again(submission: Submission) -> bool:
    try:
        with transaction.atomic():
            moves.move_submission(submission, Event.EDITS_RUN_AGAIN, by=SERVICE, reason=_AGAIN)
            queue.add_job("edits", submission=submission, rows_total=submission.lines)
    except Refusal:  # someone else has just moved it
        return False
    return True


def _withdrawn(rules: YearRules) -> list[str]:
    return list(find_withdrawals(rules.year, day_hours.today()))


def _was_run_unrecorded(rules: YearRules) -> bool:
    """Return whether the releases that recorded no rules ran all rules that are in force."""
    is_plain = not rules.is_provisional and not _withdrawn(rules)
    return is_plain and rules.year in _UNRECORDED

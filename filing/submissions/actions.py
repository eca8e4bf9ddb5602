"""The actions of filers on a submission: create it, verify its edits, sign it."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from filing import registries, standing
from filing.access import Caller
from filing.emails import outbox
from filing.errors import BadInput, Conflict, Forbidden, MissingParent, NotReady
from filing.lar.years import Period, describe_missing_rules
from filing.models import (
    EditReview,
    Filing,
    Institution,
    Signature,
    Submission,
    filing_years,
)
from filing.periods import filings
from filing.previews import require_previewed
from filing.receipts import documents
from filing.statuses import VERIFIABLE, Event, Status
from filing.storable_text import is_storable
from filing.submissions import (
    moves,
    ownership,
    receipt_description,
    removed_files,
    results,
    rules_run,
)
from filing.webhooks import deliveries

SIGNER_DIFFERS = (
    "You uploaded this file or verified its edits, so another person of your institution must "
    "sign it."
)
LONGEST_REASON = 500  # characters
_VERIFICATIONS = {
    ("quality", True): Event.QUALITY_VERIFIED,
    ("quality", False): Event.QUALITY_NOT_VERIFIED,
    ("macro", True): Event.MACRO_VERIFIED,
    ("macro", False): Event.MACRO_NOT_VERIFIED,
}


def create_submission(*, lei: str, period: Period, by: Caller) -> Submission:
    """Return a new submission with the next sequence number of its filing.

    Raises: PeriodClosed; MissingParent when the institution or the filing does not exist; NotReady
    when the filing was cancelled.
    """
    filings.require_open_period(lei=lei, period=period)
    with transaction.atomic():
        filing = (
            Filing.objects.select_for_update(of=("self",))
            .select_related("institution", "period")
            .filter(filings.match_filing(lei=lei, period=period))
            .first()
        )
        if filing is None:
            filings.find_institution(lei=lei, period=period)
            raise MissingParent(f"filing with ID: {period} does not exist")
        filings.require_not_cancelled(filing)
        last = filing.submissions.aggregate(last=Max("sequence_number"))["last"] or 0
        submission = moves.begin_submission(filing, last + 1, by=by)
        filings.mark_filing_in_progress(filing)
    return submission


def find_or_create_submission(*, lei: str, period: Period, by: Caller) -> Submission:
    """Return the newest submission of a filing if it waits for a file, otherwise a new one.

    Raises: what `create_submission` raises.
    """
    filings.require_rules(period)
    with transaction.atomic():
        # Two requests at the same time must get the same submission, so the second waits here.
        filing = Filing.objects.select_for_update(of=("self",))
        filing.filter(filings.match_filing(lei=lei, period=period)).first()
        latest = results.list_submissions(lei, period).first()
        is_waiting = latest is not None and latest.status == Status.CREATED
        if latest is not None and is_waiting and not latest.discarded_at:
            return latest
        return create_submission(lei=lei, period=period, by=by)


def require_verifiable(submission: Submission) -> None:
    """Refuse unless the quality and macro edits of the submission can be verified now.

    Raises: NotReady; Conflict when it was discarded.
    """
    moves.require_not_discarded(submission)
    require_files(submission)
    not_ready = f"Submission {submission} is not ready to be verified"
    if submission.status not in VERIFIABLE:
        raise NotReady(not_ready)
    if reason := describe_missing_rules(
        submission.period
    ):  # no edit was run, so there is none to verify
        raise NotReady(f"{not_ready}. {reason}", literal=not_ready, detail=reason)


def verify_edits(
    submission: Submission, kind: str, *, verified: bool, by: Caller, reason: str = ""
) -> Submission:
    """Verify the quality or the macro edits of a submission, or remove their verification.

    The status follows: 14 if every kind with edits is verified, otherwise 13 if there are macro
    edits, otherwise 11. Repeating a call changes nothing: the first verification is kept.

    Raises: NotReady before checking has finished and once the submission is signed; Conflict for
    the file of another institution, of which a verification can only be removed.
    """
    with transaction.atomic():
        current = (
            Submission.objects.select_for_update(of=("self",))
            .select_related("filing__institution", "filing__period")
            .get(pk=submission.pk)
        )
        require_verifiable(current)
        if verified:
            ownership.require_own_file(current)
        column = f"{kind}_verified"
        if getattr(current, column) != verified:
            event = _VERIFICATIONS[kind, verified]
            moves.record_remark(current, event, by=by, reason=reason.strip(), **{column: verified})
            if following := _after_verification(current):
                verb = "were verified" if verified else "are no longer verified"
                moves.move_submission(current, following, by=by, reason=f"The {kind} edits {verb}.")
                deliveries.queue_status_message(current)
    return current


def _after_verification(submission: Submission) -> Event | None:
    if not submission.kinds_to_verify:
        target, event = Status.VERIFIED, Event.EVERYTHING_VERIFIED
    elif submission.macro_exists:
        target, event = Status.MACRO_ERRORS, Event.MACRO_UNVERIFIED
    else:
        target, event = Status.QUALITY_ERRORS, Event.QUALITY_UNVERIFIED
    return None if submission.status == target else event


def require_files(submission: Submission) -> None:
    """Refuse if the files of the submission were removed under a retention rule.

    Raises: NotReady.
    """
    if removal := removed_files.describe_removal(submission):
        raise NotReady(f"{removal} Upload the file again in a new submission.")


def require_signable(submission: Submission) -> None:
    """Refuse unless all edits of the submission are verified and it is not signed yet.

    Raises: NotReady; Conflict when it was discarded, and for the file of another institution;
    PeriodClosed for a period without rules.
    """
    moves.require_not_discarded(submission)
    require_files(submission)
    if submission.status != Status.VERIFIED:
        raise NotReady(f"Submission {submission} is not ready to be signed")
    filings.require_rules(submission.period)
    ownership.require_own_file(submission)


def require_latest(submission: Submission) -> None:
    """Refuse to sign a submission if a later one of its filing is signed.

    Raises: Conflict, which names the later one.
    """
    later = standing.find_later_signed(submission)
    if later is not None:
        raise Conflict(
            f"Submission {submission} cannot be signed: the later submission {later} was signed, "
            f"receipt number {later.signature.receipt}. To file this data, upload the file again "
            "in a new submission."
        )


def require_change(submission: Submission, reason: str) -> None:
    """Refuse to sign the very file that counts as filed, unless there is a reason.

    Raises: Conflict, which names the receipt.
    """
    counting = standing.find_counting_submission(submission.filing)
    if counting == submission:  # signed meanwhile, which is refused as such
        return
    if counting and standing.is_same_file(counting, submission) and not reason:
        raise Conflict(
            f"This file is already filed, receipt number {counting.signature.receipt}. To file "
            "the same file again, give a reason."
        )


def require_signer(submission: Submission, by: Caller) -> None:
    """Refuse a signer who uploaded the file or verified its edits, if the site requires two people.

    Raises: Forbidden.
    """
    if settings.SIGNER_DIFFERS and results.has_taken_part(submission, by):
        raise Forbidden(SIGNER_DIFFERS)


def sign_submission(
    submission: Submission,
    *,
    signed: bool,
    by: Caller,
    reason: str = "",
    digest: str | None = None,
) -> Signature:
    """Sign a submission: its file becomes the institution's data of record for the period.

    Args:
        reason: Why the filing is signed again, one line, for its history. Needed if the file is
            the one that counts as filed.
        digest: Of what the page to sign showed; None where there was none.

    Raises: NotReady unless it is verified, unsigned and its filing not cancelled; Conflict when it
    was discarded, its file is of another institution, its edits must be run first, a later
    submission is signed, or the same file is filed already and there is no reason; BadInput when
    `signed` is false or the reason is too long; PeriodClosed; Forbidden where another person must
    sign; PreviewChanged.
    """
    filings.require_open_today(submission.filing.window)
    filings.require_not_cancelled(submission.filing)
    require_signable(submission)
    require_signer(submission, by)
    if not signed:
        raise BadInput("Illegal argument: signed = false")
    reason = normalize_reason(reason)
    try:
        with transaction.atomic():
            # Of two signatures at the same time the second waits here, and then sees the first. A
            # change of the year's rules waits here, too (`seasons.years.lock_year`).
            Filing.objects.select_for_update().get(pk=submission.filing_id)
            filing_years.forget_years()
            filings.require_rules(submission.period)
            rules_run.require_all_rules_run(submission)
            require_latest(submission)
            require_change(submission, reason)
            require_previewed(digest, *list_signing_facts(submission))
            now = documents.now_in_milliseconds()
            moves.move_submission(submission, Event.SIGNED, by=by, reason=reason)
            # The move has waited for a removal that was going on.
            require_files(Submission.objects.get(pk=submission.pk))
            signature = Signature(
                submission=submission,
                receipt=make_receipt_number(submission, now),
                signed_at=now,
                signer_id=by.id,
                signer_username=by.username,
                signer_email=by.email,
                signer_name=by.name,
                sha256=submission.sha256,
            )
            signature.claims = documents.write_claims(
                signature, unchecked=receipt_description.make_check_claims(submission)
            )
            signature.save(force_insert=True)
            filings.mark_filing_completed(submission.filing, now, by=by)
            _mark_filed(submission)
            documents.issue_receipt(signature)
            outbox.queue_receipt(
                signature, receipt_description.describe_receipt(signature).list_facts()
            )
            deliveries.queue_signed_message(signature)
            registries.submission_signed.send(
                Submission, submission=submission, signature=signature
            )
    except moves.ConcurrentChange:
        submission.refresh_from_db(fields=["discarded_at"])
        moves.require_not_discarded(submission)
        raise NotReady(f"Submission {submission} is not ready to be signed") from None
    return signature


def list_signing_facts(submission: Submission) -> list[object]:
    """Return what the page to sign shows and others can change: what counts, and the review."""
    counting = standing.find_counting_submission(submission.filing)
    verifications = results.find_verifications(submission)
    reasons = EditReview.objects.filter(submission=submission).exclude(reason="")
    return [
        counting.sequence_number if counting else None,
        [(kind, entry.pk) for kind, entry in verifications.items()],
        list(reasons.order_by("code").values_list("code", "reason")),
    ]


def normalize_reason(reason: str) -> str:
    """Return a reason as one line, without spaces around it.

    Raises: BadInput when it is too long, or has a character that cannot be stored.
    """
    reason = " ".join(reason.split())
    if not is_storable(reason):
        raise BadInput("The reason has a character that is not text; enter plain text.")
    if len(reason) > LONGEST_REASON:
        raise BadInput(
            f"The reason has {len(reason):,} characters; enter at most {LONGEST_REASON}."
        )
    return reason


def make_receipt_number(submission: Submission, at: datetime) -> str:
    """Return the receipt of a submission signed at a time."""
    quarter = f"-{submission.period.quarter_name}" if submission.period.is_quarterly else ""
    milliseconds = int(at.timestamp() * 1000 + 0.5)
    return (
        f"{submission.lei}-{submission.period.year}{quarter}"
        f"-{submission.sequence_number}-{milliseconds}"
    )


def _mark_filed(submission: Submission) -> None:
    period = submission.period
    flag = f"quarterly_filer_has_filed_q{period.quarter}" if period.quarter else "hmda_filer"
    Institution.objects.filter(pk=submission.filing.institution_id).update(**{flag: True})

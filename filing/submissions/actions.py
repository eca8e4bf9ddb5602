"""The actions of filers on a submission: create it, verify its edits, sign it."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from filing.access import Caller
from filing.emails import outbox
from filing.errors import BadInput, Forbidden, MissingParent, NotReady
from filing.lar.period import Period
from filing.models import Filing, Institution, Signature, Submission
from filing.periods import filings
from filing.receipts import documents, issuing
from filing.registries import signals
from filing.statuses import VERIFIABLE, Event, Status
from filing.submissions import moves, participants, removed_files, results
from filing.webhooks import events

SIGNER_DIFFERS = (
    "You uploaded this file or verified its edits, so another person of your institution must "
    "sign it."
)
_VERIFICATIONS = {
    ("quality", True): Event.QUALITY_VERIFIED,
    ("quality", False): Event.QUALITY_NOT_VERIFIED,
    ("macro", True): Event.MACRO_VERIFIED,
    ("macro", False): Event.MACRO_NOT_VERIFIED,
}


def create(*, lei: str, period: Period, by: Caller) -> Submission:
    """Return a new submission with the next sequence number of its filing.

    Raises: PeriodClosed; MissingParent when the institution or the filing does not exist; NotReady
    when the filing was cancelled.
    """
    filings.require_open(lei=lei, period=period)
    with transaction.atomic():
        filing = (
            Filing.objects.select_for_update(of=("self",))
            .select_related("institution", "period")
            .filter(filings.matching(lei=lei, period=period))
            .first()
        )
        if filing is None:
            filings.institution(lei=lei, period=period)
            raise MissingParent(f"filing with ID: {period} does not exist")
        filings.require_not_cancelled(filing)
        last = filing.submissions.aggregate(last=Max("sequence_number"))["last"] or 0
        submission = moves.begin(filing, last + 1, by=by)
        filings.mark_in_progress(filing)
    return submission


def waiting_or_new(*, lei: str, period: Period, by: Caller) -> Submission:
    """Return the newest submission of a filing if it has no file yet, otherwise a new one.

    Raises: what `create` raises.
    """
    with transaction.atomic():
        # Two requests at the same time must get the same submission, so the second waits here.
        filing = Filing.objects.select_for_update(of=("self",))
        filing.filter(filings.matching(lei=lei, period=period)).first()
        latest = results.submissions(lei, period).first()
        if latest is not None and latest.status == Status.CREATED:
            return latest
        return create(lei=lei, period=period, by=by)


def require_verifiable(submission: Submission) -> None:
    """Refuse unless the quality and macro edits of the submission can be verified now."""
    require_files(submission)
    if submission.status not in VERIFIABLE:
        raise NotReady(f"Submission {submission} is not ready to be verified")


def verify(
    submission: Submission, kind: str, *, verified: bool, by: Caller, reason: str = ""
) -> Submission:
    """Verify the quality or the macro edits of a submission, or remove their verification.

    The status follows: 14 if every kind with edits is verified, otherwise 13 if there are macro
    edits, otherwise 11. Repeating a call changes nothing: the first verification is kept.

    Raises: NotReady before checking has finished and once the submission is signed.
    """
    with transaction.atomic():
        current = (
            Submission.objects.select_for_update(of=("self",))
            .select_related("filing__institution", "filing__period")
            .get(pk=submission.pk)
        )
        require_verifiable(current)
        column = f"{kind}_verified"
        if getattr(current, column) != verified:
            event = _VERIFICATIONS[kind, verified]
            moves.remark(current, event, by=by, reason=reason.strip(), **{column: verified})
            if following := _after_verification(current):
                verb = "were verified" if verified else "are no longer verified"
                moves.move(current, following, by=by, reason=f"The {kind} edits {verb}.")
                events.at_rest(current)
    return current


def _after_verification(submission: Submission) -> Event | None:
    quality_open = submission.quality_exists and not submission.quality_verified
    macro_open = submission.macro_exists and not submission.macro_verified
    if not quality_open and not macro_open:
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
    if removal := removed_files.sentence(submission):
        raise NotReady(f"{removal} Upload the file again in a new submission.")


def require_signable(submission: Submission) -> None:
    """Refuse unless all edits of the submission are verified and it is not signed yet."""
    require_files(submission)
    if submission.status != Status.VERIFIED:
        raise NotReady(f"Submission {submission} is not ready to be signed")


def require_signer(submission: Submission, by: Caller) -> None:
    """Refuse a signer who uploaded the file or verified its edits, if the site requires two people.

    Raises: Forbidden.
    """
    if settings.SIGNER_DIFFERS and participants.took_part(submission, by):
        raise Forbidden(SIGNER_DIFFERS)


def sign(submission: Submission, *, signed: bool, by: Caller) -> Signature:
    """Sign a submission: its file becomes the institution's data of record for the period.

    Raises: NotReady unless it is verified, unsigned and its filing not cancelled; BadInput when
    `signed` is false; PeriodClosed; Forbidden where another person must sign.
    """
    filings.require_open_today(submission.filing.period)
    filings.require_not_cancelled(submission.filing)
    require_signable(submission)
    require_signer(submission, by)
    if not signed:
        raise BadInput("Illegal argument: signed = false")
    now = documents.now()
    try:
        with transaction.atomic():
            moves.move(submission, Event.SIGNED, by=by)
            # The move has waited for a removal that was going on.
            require_files(Submission.objects.get(pk=submission.pk))
            signature = Signature.objects.create(
                submission=submission,
                receipt=receipt(submission, now),
                signed_at=now,
                signer_id=by.id,
                signer_username=by.username,
                signer_email=by.email,
                sha256=submission.sha256,
            )
            filings.mark_completed(submission.filing, now, by=by)
            _mark_filed(submission)
            issuing.issue(signature)
            outbox.receipt(signature)
            events.signed(signature)
            signals.signed.send(Submission, submission=submission, signature=signature)
    except moves.Overtaken:
        raise NotReady(f"Submission {submission} is not ready to be signed") from None
    return signature


def receipt(submission: Submission, at: datetime) -> str:
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

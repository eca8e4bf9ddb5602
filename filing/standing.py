"""Which submission of a filing counts as filed: the one place that decides it.

Of the signed submissions of a filing the one that was signed last counts; of two signed at the same
moment, the one recorded last. Nothing counts in a filing that was cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Case, CharField, Exists, OuterRef, Q, QuerySet, Value, When

from filing.models import Filing, Signature, Submission
from filing.statuses import FilingStatus, Status

# The beginnings of the LEIs that our own commands make up. No issuer of LEIs has these prefixes, so
# records that were downloaded from a demo are still known as made up when they are imported.
MADE_UP_LEIS = ("DEMO", "MADEUP")
_STATUSES_WITH_FILED = [status for status in FilingStatus if status is not FilingStatus.CANCELLED]


def is_counting(path: str = "", *, until: datetime | None = None) -> Q:
    """Return the condition on submissions that count as filed, or that counted before a moment.

    path: the look-up from the rows to their submission, with its underscores, such as
    `submission__` for signatures; none for submissions themselves.
    """
    counting = is_on_record(path) & ~is_replaced(path, until=until)
    return counting & Q(**{f"{path}signature__signed_at__lt": until}) if until else counting


def is_on_record(path: str = "") -> Q:
    """Return the condition on signed submissions of filings that are not cancelled.

    Those of a filing that do not count were replaced. path: as in `is_counting`.
    """
    return Q(**{f"{path}status": Status.SIGNED, f"{path}filing__status__in": _STATUSES_WITH_FILED})


def is_real_institution(path: str = "") -> Q:
    """Return the condition on institutions that figures, lists and what is public count.

    Test institutions are in none of them; pages of one institution, searches, and the lists of the
    admin, which have a filter, show them.

    path: the look-up from the rows to their institution, with its underscores, such as
    `institution__` for filings; none for institutions themselves.
    """
    return Q(**{f"{path}is_test": False})


def is_made_up(path: str = "") -> Q:
    """Return the condition on institutions that our own commands made up.

    path: as in `is_real_institution`.
    """
    beginnings = (Q(**{f"{path}lei__startswith": each}) for each in MADE_UP_LEIS)
    return reduce(or_, beginnings)


def is_for_the_public(path: str = "") -> Q:
    """Return the condition on submissions that may become public: not those of test institutions.

    path: as in `is_counting`.
    """
    return is_real_institution(f"{path}filing__institution__")


def is_replaced(path: str = "", *, until: datetime | None = None) -> Q:
    """Return the condition on signed submissions after which another one of the filing was signed.

    This holds in cancelled filings too. path: as in `is_counting`. until: only signatures before
    this moment replace another.
    """
    later = find_later_signatures(path)
    return Q(Exists(later.filter(signed_at__lt=until) if until else later))


def find_later_signatures(path: str = "") -> QuerySet[Signature]:
    """Return, for conditions on signed submissions, the later signatures of their filings.

    path: as in `is_counting`.
    """
    signed_at, key = OuterRef(f"{path}signature__signed_at"), OuterRef(f"{path}signature__pk")
    return Signature.objects.filter(submission__filing=OuterRef(f"{path}filing")).filter(
        Q(signed_at__gt=signed_at) | Q(signed_at=signed_at, pk__gt=key)
    )


def find_earlier_signatures() -> QuerySet[Signature]:
    """Return, for conditions on rows of submissions, the earlier signatures of their filings."""
    signed_at = OuterRef("submission__signature__signed_at")
    key = OuterRef("submission__signature__pk")
    return Signature.objects.filter(submission__filing=OuterRef("submission__filing")).filter(
        Q(signed_at__lt=signed_at) | Q(signed_at=signed_at, pk__lt=key)
    )


def find_counting_submissions(
    filings: QuerySet[Filing] | Iterable[Filing],
) -> dict[int, Submission]:
    """Return what counts of each filing, by the key of the filing; none where nothing does.

    Signatures, institutions and periods are read with them, in one statement.
    """
    counting = _signed().filter(is_counting(), filing__in=filings)
    return {submission.filing_id: submission for submission in counting}


def find_counting_submission(filing: Filing) -> Submission | None:
    """Return the submission of a filing that counts as filed, if there is one."""
    return find_counting_submissions([filing]).get(filing.pk)


def find_replacement(submission: Submission) -> Submission | None:
    """Return the submission that replaced a signed one: that of its filing that was signed last.

    Nothing replaces the one signed last itself, nor one that is not signed. A receipt that was
    replaced stays replaced when the filing is cancelled, after which nothing counts.
    """
    if submission.status != Status.SIGNED:
        return None
    last = (
        _signed()
        .filter(status=Status.SIGNED, filing=submission.filing_id)
        .order_by("-signature__signed_at", "-signature__pk")
        .first()
    )
    return None if last == submission else last


def with_remark(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return submissions with `remark`: what a list says beside a status that alone misleads.

    "replaced" of a signed one that does not count, "discarded" of one that was discarded.
    """
    return submissions.annotate(
        remark=Case(
            When(discarded_at__isnull=False, then=Value("discarded")),
            When(Q(status=Status.SIGNED) & is_replaced(), then=Value("replaced")),
            default=Value(""),
            output_field=CharField(),
        )
    )


def is_same_file(one: Submission, other: Submission) -> bool:
    """Tell whether two submissions have the same file, byte for byte."""
    return bool(one.sha256) and one.sha256 == other.sha256


def find_later_signed(submission: Submission) -> Submission | None:
    """Return the signed submission of the filing with the highest number, if above this one."""
    later = _signed().filter(
        status=Status.SIGNED,
        filing=submission.filing_id,
        sequence_number__gt=submission.sequence_number,
    )
    return later.order_by("-sequence_number").first()


def find_signed_out_of_order() -> QuerySet[Submission]:
    """Return what counts although a submission with a higher number of its filing is signed.

    Earlier releases let an earlier submission be signed after a later one.
    """
    higher = Submission.objects.filter(
        filing=OuterRef("filing"),
        status=Status.SIGNED,
        sequence_number__gt=OuterRef("sequence_number"),
    )
    return _signed().filter(is_counting(), Exists(higher))


def _signed() -> QuerySet[Submission]:
    return Submission.objects.select_related(
        "signature", "filing__institution", "filing__period"
    ).order_by()

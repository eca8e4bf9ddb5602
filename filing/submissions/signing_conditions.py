"""Why a person can or cannot sign: every condition, in the order in which it is asked.

Each condition asks the function that decides it, so that the help desk reads what the person meets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from filing import access, day_hours
from filing.access import Cause, Right, RightsSource
from filing.errors import Refusal
from filing.lar.years import Period
from filing.models import AccessRequest, Filing, Submission
from filing.outages import find_outage
from filing.people import accounts, administrators, invitations, personal_tokens, sign_ins
from filing.people.invitations import roles_of
from filing.periods import duties, filings
from filing.statuses import FilingStatus, Status
from filing.submissions import actions, moves, ownership, rules_run

_PEOPLE = "an administrator of the institution, on its people page"
_WITHOUT_ONE = f"{_PEOPLE}; where there is none, an operator makes a person administrator"
_SITE_ADMINISTRATOR = "an administrator of this service, on the page of the user"
_OPERATOR = "an operator"
_PERSON = "the person"
_FILER = "a preparer of the institution"
_OF_ORGANIZATION = "an administrator of the organization"
_WHO_ADDS = f"{_PEOPLE}; {_OPERATOR}"
_CONFIRM = "Open the link of the sign-up email, or sign up again for another one."


@dataclass(frozen=True, slots=True)
class SigningCondition:
    """One condition of a signature.

    holds: None where it makes no difference, or depends. reason: a sentence. remedy: what would
    make it hold; who: whoever can do that. Both are blank where nothing is to be done.
    """

    question: str
    holds: bool | None
    reason: str
    remedy: str = ""
    who: str = ""


def list_signing_conditions(
    user: User, lei: str, period: Period | None = None, submission: Submission | None = None
) -> list[SigningCondition]:
    """Return what a person needs to sign for an institution, and what period and submission need.

    submission: without it, nothing is said about a file. period: of the submission, if there is
    one; without it, nothing is said about a filing.
    """
    if submission is not None:
        period = submission.period
    conditions = [*_conditions_of_person(user, lei, period), _site_condition()]
    if period is not None:
        conditions += _conditions_of_period(lei, period)
    if submission is not None:
        conditions += _conditions_of_submission(user, submission)
    return conditions


def find_obstacles(conditions: list[SigningCondition]) -> list[SigningCondition]:
    """Return the conditions that do not hold: any of them keeps the person from signing."""
    return [condition for condition in conditions if condition.holds is False]


def _conditions_of_person(
    user: User, lei: str, period: Period | None
) -> Iterator[SigningCondition]:
    yield _account_condition(user)
    if sign_ins.has_staff_password(user):
        yield SigningCondition(
            "Can the person sign in?",
            False,
            "Someone else set the password, so no one can sign in with it.",
            "Open the link of the email and choose a password.",
            _PERSON,
        )
    sources = access.explain_rights(user, lei, period)
    yield _email_condition(user, lei, sources)
    yield from _ended_conditions(user, lei)
    for source in sources:
        yield _source_condition(source)
    yield _right_condition(user, lei, period, sources)
    yield from _waiting_conditions(user, lei)
    yield _token_condition(user, lei)


def _account_condition(user: User) -> SigningCondition:
    question = "Is the account enabled?"
    state = f"The account is {accounts.describe_account_state(user)}."
    if user.is_active:
        return SigningCondition(question, True, state)
    if accounts.is_unconfirmed(user):  # only whoever reads the email proves the address
        return SigningCondition(question, False, state, _CONFIRM, _PERSON)
    return SigningCondition(question, False, state, "Enable the account.", _SITE_ADMINISTRATOR)


def _email_condition(user: User, lei: str, sources: list[RightsSource]) -> SigningCondition:
    """Return whether the address is verified: it counts where no other source lets sign."""
    question = "Is the email address verified?"
    if access.has_verified_email(user):
        return SigningCondition(question, True, f"{user.email} is verified.")
    address = user.email or "There is no address"
    by_domain = user.memberships.filter(lei=lei, source="domain").exists()
    by_domain &= not any(Right.SIGN in source.rights for source in sources)
    return SigningCondition(
        question,
        False if by_domain else None,
        f"{address} is not verified."
        + ("" if by_domain else " The right does not come from its domain."),
        _CONFIRM
        if accounts.is_unconfirmed(user)
        else "Request a new password and open the link of the email."
        if settings.EMBEDDED_PROVIDER
        else "Verify the address at the identity provider, and sign in again.",
        _PERSON,
    )


def _ended_conditions(user: User, lei: str) -> Iterator[SigningCondition]:
    question = "Has no one ended the right?"
    ended = access.find_ended_rights().filter(user=user, lei=lei).first()
    if ended is None:
        yield SigningCondition(question, True, "No one has ended the right.")
        return
    day = day_hours.describe_day(ended.ended_at)
    yield SigningCondition(
        question,
        False,
        f"{ended.ended_by} ended it on {day}: {ended.reason}",
        "Give the right again." if ended.by_staff else "Invite the person again.",
        _OPERATOR if ended.by_staff else f"{_PEOPLE}, or {_OPERATOR}, who adds the right",
    )


def _source_condition(source: RightsSource) -> SigningCondition:
    question = f"Does it come from here: {source.what}?"
    if Right.SIGN in source.rights:
        return SigningCondition(question, True, "It lets the person sign.")
    obstacle = source.missing[Right.SIGN]
    remedies = _REMEDIES_OF_ORGANIZATION if source.is_of_organization else _REMEDIES_OF_MEMBERSHIP
    remedy, who = remedies.get(obstacle.cause, ("", ""))
    return SigningCondition(question, None, obstacle.text, remedy, who)


# What would let the person sign by a source, and who can do it. A cause is left out where another
# condition says it, or nothing can be done.
_REMEDIES_OF_MEMBERSHIP = {
    Cause.UNCONFIRMED: ("Confirm the list of people.", "an administrator of the institution"),
    Cause.ROLE: ("Give the role of a signer.", _WITHOUT_ONE),
    Cause.OVER: ("Give a later last day.", _WITHOUT_ONE),
    Cause.PANEL: ("Invite the person, or add the right.", _WHO_ADDS),
}
_REMEDIES_OF_ORGANIZATION = {
    Cause.OWN_ROLES: ("Give the role of a signer.", "another administrator of the institution"),
    Cause.ROLE: ("Give the role of a signer.", _OF_ORGANIZATION),
    Cause.MEMBER: ("Invite the person again, or give a later last day.", _OF_ORGANIZATION),
    Cause.TERMS: (
        "Let the organization sign, for this period and day.",
        "an administrator of the institution, on its page of delegations",
    ),
}


def _right_condition(
    user: User, lei: str, period: Period | None, sources: list[RightsSource]
) -> SigningCondition:
    question = "May the person sign for the institution?"
    if Right.SIGN in access.find_rights(access.caller_of(user), lei, period):
        return SigningCondition(question, True, "At least one of these gives the right to sign.")
    if not sources:
        return SigningCondition(
            question,
            False,
            "The person has no membership of the institution, and no organization of theirs acts "
            "for it.",
            "Choose the institution on the profile if its email domain is that of the person; "
            "else invite the person, or add the right.",
            f"{_PERSON}; {_WHO_ADDS}",
        )
    if not user.is_active:
        return SigningCondition(question, False, "The account is disabled, so nothing counts.")
    return SigningCondition(
        question, False, "None of these gives the right to sign; each says why."
    )


def _waiting_conditions(user: User, lei: str) -> Iterator[SigningCondition]:
    """Yield what waits for an answer: it gives no right yet."""
    question = "Does an invitation or a request wait?"
    by_address = invitations.find_open_invitations(lei=lei).filter(email=user.email.lower())
    for invitation in by_address if user.email else ():
        day = day_hours.describe_day(invitation.invited_at)
        yield SigningCondition(
            question,
            None,
            f"{invitation.invited_by} invited the person on {day} as "
            f"{roles_of(invitation).in_words}; it is not accepted yet.",
            *(
                ("Open the link of the email and accept.", _PERSON)
                if invitation.is_signer
                else ("Invite the person again, as a signer.", _PEOPLE)
            ),
        )
    for request in administrators.find_open_requests().filter(user=user, lei=lei):
        day = day_hours.describe_day(request.asked_at)
        yield SigningCondition(
            question,
            None,
            f"The person asked on {day} {request.get_kind_display()}; no one has answered yet.",
            *(
                ("Grant the request, with the role of a signer.", _PEOPLE)
                if request.kind == AccessRequest.Kind.JOIN
                else ()
            ),
        )


def _token_condition(user: User, lei: str) -> SigningCondition:
    """Return what the person's tokens cannot do; on the pages they make no difference."""
    question = "Does a program use a token that may sign?"
    tokens = list(personal_tokens.find_usable_tokens().filter(user=user).order_by("pk"))
    limited = [
        f"{token} is for preparing only" if token.is_prepare_only else f"{token} is not for {lei}"
        for token in tokens
        if token.is_prepare_only or lei not in token.leis
    ]
    if not limited:
        text = "All usable tokens of the person may." if tokens else "The person has no tokens."
        return SigningCondition(question, None, text)
    return SigningCondition(
        question,
        None,
        f"{'; '.join(limited)}. On the pages this makes no difference.",
        "Create a token without this limit, or sign on the pages.",
        _PERSON,
    )


def _site_condition() -> SigningCondition:
    question = "Does this site take signatures?"
    if settings.SIGNING_ENABLED:
        return SigningCondition(question, True, "Signing is enabled here.")
    text = "This is a site for tests: signing is off."
    return SigningCondition(question, False, text, "File at the real site.", _PERSON)


def _conditions_of_period(lei: str, period: Period) -> Iterator[SigningCondition]:
    """Yield what a filing needs, whether it was begun or not."""
    rows = Filing.objects.select_related("institution", "period")
    filing = rows.filter(filings.match_filing(lei=lei, period=period)).first()
    days = ""
    if window := filings.find_period(period):
        window = window.of_institution(lei)
        opens, closes = day_hours.day_in_words(window.opens), day_hours.day_in_words(window.closes)
        days = f"It is open from {opens} to {closes}."
    yield _checked(
        "Is the filing period open for the institution?",
        lambda: filings.require_period_of_today(lei=lei, period=period),
        days,
        "Wait until it opens, or extend it for the institution.",
        _OPERATOR,
    )
    yield _checked(
        "Does the institution file quarterly?"
        if period.is_quarterly
        else "Is the institution in the panel of the year?",
        lambda: filings.find_institution(lei=lei, period=period),
        "Its record says so." if period.is_quarterly else "It is.",
        "Add it to the panel of the year, or record the duty to file quarterly.",
        _OPERATOR,
    )
    is_canceled = filing is not None and filing.status == FilingStatus.CANCELLED
    if filing is None or is_canceled:  # whatever was begun is filed under its LEI
        yield _checked(
            "Is it filed under this LEI?",
            lambda: duties.require_owing(lei, period),
            "No event has ended it.",
            "File under the LEI that goes on, or take the event back.",
            f"{_FILER}; {_OPERATOR}",
        )
    if filing is not None:
        yield _checked(
            "Is the filing expected?",
            partial(filings.require_not_cancelled, filing),
            "It is not canceled.",
            "Reinstate the filing.",
            _OPERATOR,
        )


def _conditions_of_submission(user: User, submission: Submission) -> Iterator[SigningCondition]:
    caller = access.caller_of(user)
    yield _storage_condition(submission)
    checks: list[tuple[str, Callable[[], object], str, str, str]] = [
        (
            "Is the submission kept?",
            lambda: moves.require_not_discarded(submission),
            "It is not discarded.",
            "Upload the file in a new submission.",
            _FILER,
        ),
        (
            "Are its files here?",
            lambda: actions.require_files(submission),
            "They were not removed.",
            "Upload the file again in a new submission.",
            _FILER,
        ),
        (
            "Is it the file of the institution?",
            lambda: ownership.require_own_file(submission),
            "The transmittal sheet names the institution.",
            "Upload the right file in a new submission.",
            _FILER,
        ),
    ]
    for question, check, text, remedy, who in checks:
        yield _checked(question, check, text, remedy, who)
    yield _status_condition(submission)
    yield _checked(
        "Were all edits run that must be?",
        lambda: rules_run.require_all_rules_run(submission),
        "None is missing.",
        "Load the missing reference data; the edits then run again.",
        _OPERATOR,
    )
    yield _checked(
        "Is no later submission signed?",
        lambda: actions.require_latest(submission),
        "No later one is.",
        "Upload the file again in a new submission.",
        _FILER,
    )
    yield _refiling_condition(submission)
    yield _checked(
        "Has another person prepared it, where the site requires two?",
        lambda: actions.require_signer(submission, caller),
        "The person may sign what they prepared."
        if not settings.SIGNER_DIFFERS
        else "The person has neither uploaded it nor verified its edits.",
        "Let another signer of the institution sign.",
        "another signer",
    )


def _checked(
    question: str, check: Callable[[], object], text: str, remedy: str, who: str
) -> SigningCondition:
    """Return whether a check of the signature passes; its refusal is the reason."""
    try:
        check()
    except Refusal as refusal:
        return SigningCondition(question, False, refusal.message, remedy, who)
    return SigningCondition(question, True, text)


def _refiling_condition(submission: Submission) -> SigningCondition:
    """Return whether a signature needs a reason: the same file counts as filed."""
    question = "Is it another file than the one that counts as filed?"
    try:
        actions.require_change(submission, "")
    except Refusal as refusal:
        return SigningCondition(question, None, refusal.message, "Enter the reason.", _PERSON)
    return SigningCondition(question, True, "No reason is needed.")


def _status_condition(submission: Submission) -> SigningCondition:
    question = "Is it checked, with its edits verified?"
    status = Status(submission.status)
    text = f"Status {status.value}: {status.message}"
    if status is Status.VERIFIED:
        return SigningCondition(question, True, text)
    if status is Status.SIGNED:
        return SigningCondition(question, False, f"{text} It is signed already.")
    if status in (Status.QUALITY_ERRORS, Status.MACRO_ERRORS):
        return SigningCondition(question, False, text, "Review and verify the edits.", _FILER)
    if status in (Status.CREATED, Status.UPLOADING):
        return SigningCondition(question, False, text, "Upload the file.", _FILER)
    if not status.is_settled:
        return SigningCondition(question, False, text, "Wait until processing finishes.", _PERSON)
    if status is Status.FAILED:
        return SigningCondition(question, False, text, "Retry the submission.", _OPERATOR)
    return SigningCondition(
        question, False, text, "Upload a file that can be signed in a new submission.", _FILER
    )


def _storage_condition(submission: Submission) -> SigningCondition:
    question = "Can the service reach its files?"
    try:
        is_there = default_storage.exists(submission.raw_file or "none")
    except Exception as error:
        if find_outage(error) is None:
            raise
        text = "The storage does not answer: an outage."
        return SigningCondition(question, False, text, "End the outage.", _OPERATOR)
    if submission.raw_file and not is_there and submission.files_removed_at is None:
        text = "The storage answers, but has no file of the submission."
        return SigningCondition(question, False, text, "Restore the file.", _OPERATOR)
    return SigningCondition(question, True, "The storage answers.")

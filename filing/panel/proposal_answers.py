"""What staff answer to proposals for the panel: accept, accept with changes, or refuse.

Accepting writes the record as staff do by hand, with the same checks and the same history. A record
that has changed since a proposal was made is not overwritten: staff see both values and decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from filing import access, audit
from filing.access import Caller
from filing.audit.value_changes import describe_value
from filing.emails import outbox
from filing.errors import NotReady
from filing.lar.years import Period
from filing.models import AuditEvent, FilingPeriod, Institution, Membership, RecordProposal
from filing.panel import history, panel_imports, proposals, records
from filing.panel.proposals import State
from filing.people import cases, memberships, rosters
from filing.people.institutions import InstitutionCriteria, search_institutions
from filing.people.invitations import roles_of
from filing.people.memberships import required_reason
from filing.people.own_rights import OwnRight, record_own_rights, require_other_person
from filing.periods import duties, filings
from filing.previews import require_previewed

_NAMED = 5  # institutions in a sentence


@dataclass(frozen=True)
class ProposedField:
    """A field of a proposal, with its values as people read them.

    now: of the record. is_overtaken: the record has neither this value nor that of before.
    """

    name: str
    label: str
    before: str
    now: str
    proposed: str
    is_overtaken: bool


def compare_with_record(proposal: RecordProposal) -> list[ProposedField]:
    """Return the fields of a proposal beside what the record has now."""
    record = find_record(proposal)
    columns = {field.name: field for field in Institution._meta.concrete_fields}
    return [
        ProposedField(
            name=name,
            label=history.label_field(name),
            before=describe_value(before, field=columns[name]),
            now=describe_value(getattr(record, name, None), field=columns[name]),
            proposed=describe_value(after, field=columns[name]),
            is_overtaken=record is not None
            and not proposal.is_new
            and not proposals.is_same_value(getattr(record, name), before)
            and not proposals.is_same_value(getattr(record, name), after),
        )
        for name, (before, after) in proposal.changes.items()
    ]


def find_record(proposal: RecordProposal) -> Institution | None:
    """Return the record that a proposal is about, if it is in the panel."""
    return Institution.objects.filter(
        lei=proposal.lei, activity_year=proposal.activity_year
    ).first()


def describe_correction(proposal: RecordProposal, values: Mapping[str, Any]) -> list[str]:
    """Return what accepting a proposal with other values would write, one line for each field."""
    record = find_record(proposal)
    return proposals.describe_changes(
        {name: [getattr(record, name, None), value] for name, value in values.items()}
    )


def list_correction_facts(
    proposal: RecordProposal, values: Mapping[str, Any], *, makes_administrator: bool
) -> list[object]:
    """Return what the preview of a correction shows: what is proposed and written, and the role."""
    return [
        compare_with_record(proposal),
        describe_correction(proposal, values),
        makes_administrator,
    ]


def list_years_to_add(proposal: RecordProposal) -> list[int]:
    """Return the years for which accepting a new institution adds a record, the first one first.

    From its first year on: those that have filing periods and are not closed, without a record.
    """
    with_periods = set(FilingPeriod.objects.values_list("year", flat=True))
    existing = set(
        Institution.objects.filter(lei=proposal.lei).values_list("activity_year", flat=True)
    )
    return sorted(
        year
        for year in proposals.list_open_years()
        if year == proposal.activity_year
        or (year > proposal.activity_year and year in with_periods and year not in existing)
    )


def plan_accept(proposal: RecordProposal) -> str:
    """Return what accepting a proposal would do.

    Raises: NotReady if it is answered, or if the record has changed meanwhile.
    """
    proposals.require_open(proposal)
    _require_acceptable(proposal)
    lines = "; ".join(proposals.describe_changes(proposal.changes))
    if not proposal.is_new:
        written = f"Writes to the record of {proposal.activity_year}: {lines}."
        return " ".join(filter(None, [written, *_describe_since(proposal), _emails(proposal)]))
    return f"{_describe_years(proposal)} {lines}. {_describe_right(proposal)} {_emails(proposal)}"


def accept_proposal(
    proposal: RecordProposal,
    *,
    by: Caller,
    reason: str,
    values: Mapping[str, Any] | None = None,
    makes_administrator: bool = False,
    digest: str | None = None,
) -> str:
    """Write what is proposed to the panel, answer the person, and return what was done.

    values: what staff write instead, by field; then the record may have changed meanwhile, as they
    have seen it. makes_administrator: whether the person becomes administrator of a new
    institution. digest: of the preview of these values.

    Raises: BadInput without a reason or for values that are not accepted; NotReady if it is
    answered, or if the record has changed meanwhile; PreviewChanged; OwnRight.
    """
    reason = required_reason(reason)
    with record_own_rights(by), transaction.atomic():
        panel_imports.lock_panel()
        proposal = proposals.lock_open(proposal)
        facts = list_correction_facts(
            proposal, values or {}, makes_administrator=makes_administrator
        )
        require_previewed(digest, *facts)
        _require_acceptable(proposal, ignores_overtaken=values is not None)
        _require_other_author(proposal, by)
        final = {**proposal.proposed, **(values or {})}
        write = _add_records if proposal.is_new else _change_record
        before = _newest_entry(proposal.lei)
        years = write(proposal, final, by=by, reason=f"{proposal.number}: {reason}")
        is_changed = any(
            not proposals.is_same_value(value, proposal.proposed[name])
            for name, value in final.items()
        )
        accepted = {name: [proposal.changes[name][0], value] for name, value in final.items()}
        entries = history.list_entries(proposal.lei).filter(pk__gt=before)
        proposal.log_entries = list(entries.values_list("pk", flat=True))
        state = State.CHANGED if is_changed else State.ACCEPTED
        done = [f"{proposal.number} is accepted."]
        if proposal.is_new:
            done.append(_give_first_right(proposal, by, reason, makes_administrator))
            done.append(f"Records: {', '.join(map(str, years))}.")
        _answer(proposal, state, by=by, reason=reason, accepted=accepted)
    return " ".join(filter(None, done))


accept_with_administrator = partial(accept_proposal, makes_administrator=True)


def plan_accept_with_administrator(proposal: RecordProposal) -> str:
    """Return what accepting a new institution with its first administrator would do.

    Raises: what `plan_accept` raises; NotReady for another proposal, and without an account.
    """
    plan = plan_accept(proposal)
    if not proposal.is_new:
        raise NotReady("It is about an institution that has people already.")
    if _find_active_user(proposal) is None:
        raise NotReady("The account of the person no longer exists, or is disabled.")
    return f"{plan} {proposal.user} becomes administrator."


def plan_refuse(proposal: RecordProposal) -> str:
    """Return what refusing a proposal would do. Raises: NotReady if it is answered."""
    proposals.require_open(proposal)
    return f"Nothing changes in the panel. {_emails(proposal)}"


@transaction.atomic
def refuse_proposal(proposal: RecordProposal, *, by: Caller, reason: str) -> str:
    """Refuse a proposal, and email the reason to the person; return what was done.

    Raises: BadInput without a reason; NotReady if it is answered.
    """
    reason = required_reason(reason)
    proposal = proposals.lock_open(proposal)
    _answer(proposal, State.REFUSED, by=by, reason=reason)
    return f"{proposal.number} is refused."


def find_others_with(proposal: RecordProposal) -> list[tuple[str, list[Institution]]]:
    """Return whoever else has a proposed TIN or email domain: each value, with the institutions."""
    proposed = proposal.proposed
    criteria = [
        *([InstitutionCriteria(tax_id=proposed["tax_id"])] if proposed.get("tax_id") else ()),
        *(InstitutionCriteria(domain=domain) for domain in proposed.get("email_domains") or ()),
    ]
    found = (
        (
            each.tax_id or each.domain,
            list(search_institutions(each).exclude(lei=proposal.lei)[:_NAMED]),
        )
        for each in criteria
    )
    return [(value, others) for value, others in found if others]


def _require_acceptable(proposal: RecordProposal, *, ignores_overtaken: bool = False) -> None:
    """Refuse what cannot be written as proposed. Raises: NotReady; AlreadyExists."""
    if proposal.is_new:
        proposals.require_unregistered(proposal.lei, proposal.activity_year)
        if proposal.activity_year not in proposals.list_open_years():
            raise NotReady(f"The filing period {proposal.activity_year} has closed meanwhile.")
        return
    if find_record(proposal) is None:
        raise NotReady(f"The record of {proposal.activity_year} is no longer in the panel.")
    overtaken = [each for each in compare_with_record(proposal) if each.is_overtaken]
    if overtaken and not ignores_overtaken:
        lines = "; ".join(
            f"{each.label} was {each.before} and is {each.now} now, not {each.proposed}"
            for each in overtaken
        )
        raise NotReady(
            f"The record has changed since: {lines}. Accept it with changes, or refuse it."
        )


def _require_other_author(proposal: RecordProposal, by: Caller) -> None:
    """Refuse staff who accept what they proposed themselves. Raises: OwnRight."""
    is_own_address = by.email and by.email.lower() == proposal.actor_email.lower()
    if is_own_address or by.username == proposal.actor_username:
        raise OwnRight(
            "You proposed this yourself; ask another operator to answer it.", lei=proposal.lei
        )


def _change_record(
    proposal: RecordProposal, values: Mapping[str, Any], *, by: Caller, reason: str
) -> list[int]:
    """Write values to the record of a proposal; return its year."""
    key = {"lei": proposal.lei, "activity_year": proposal.activity_year}
    records.save_institution({**values, **key}, reason=reason, by=by)
    return [proposal.activity_year]


def _add_records(
    proposal: RecordProposal, values: Mapping[str, Any], *, by: Caller, reason: str
) -> list[int]:
    """Add the records of a new institution, with what is still to be filed; return their years."""
    years = list_years_to_add(proposal)
    for year in years:
        key = {"lei": proposal.lei, "activity_year": year}
        records.save_institution({**values, **key}, reason=reason, by=by, is_new=True)
    return years


def _give_first_right(
    proposal: RecordProposal, by: Caller, reason: str, makes_administrator: bool
) -> str:
    """Let the person who asked file for the institution; return what was done.

    Whoever acts for it already, under an earlier record, keeps the roles.

    Raises: OwnRight for an account of one's own.
    """
    user = _find_active_user(proposal)
    if user is None:
        return "The account of the person no longer exists, or is disabled: no one can file yet."
    require_other_person(user, by=by)
    why = f"{proposal.number}: {reason}"
    if (own := _find_own_membership(user, proposal.lei)) is None:
        Membership.objects.update_or_create(
            user=user,
            lei=proposal.lei,
            defaults={
                "source": "hand",
                "is_preparer": True,
                "is_signer": True,
                "administrator_since": timezone.now() if makes_administrator else None,
                "until": None,
                "added_by": by.username[:150],
            },
        )
        memberships.give_right(user, proposal.lei, by=by, reason=why)
        return f"{user} can file{' and is administrator' if makes_administrator else ''}."
    if makes_administrator and own.administrator_since is None:
        rosters.make_administrator(own, by=by, reason=why)
        own.refresh_from_db()
    return f"{user} acts for it as {roles_of(own).in_words}."


def _find_own_membership(user: User, lei: str) -> Membership | None:
    """Return what a user is in an institution already, if it is valid."""
    own = Membership.objects.filter(user=user, lei=lei)
    return own.first() if access.are_any_valid(own) else None


def _answer(
    proposal: RecordProposal,
    state: str,
    *,
    by: Caller,
    reason: str,
    accepted: Mapping[str, Any] | None = None,
) -> None:
    proposal.state, proposal.answered_at = state, timezone.now()
    proposal.answered_by, proposal.answer = by.username[:255], reason
    proposal.accepted = dict(accepted or {})
    proposal.save()
    cases.end_case(proposal.case, by=by, answer=reason)
    is_refused = state == State.REFUSED
    lines = proposals.describe_changes(proposal.accepted)
    audit.record_event(
        AuditEvent.PROPOSAL_REFUSED if is_refused else AuditEvent.PROPOSAL_ACCEPTED,
        by=by,
        lei=proposal.lei,
        about=proposal.number,
        reason="\n".join([reason, *lines]),
    )
    name = proposal.case.institution
    outbox.queue_emails(proposals.draft_proposal_email("proposal_answered", proposal, name=name))


def _newest_entry(lei: str) -> int:
    """Return the key of the newest entry in the history of an institution; 0 without one."""
    return history.list_entries(lei).aggregate(newest=Max("pk"))["newest"] or 0


def _find_active_user(proposal: RecordProposal) -> User | None:
    user = proposal.user
    return user if user is not None and user.is_active else None


def _describe_years(proposal: RecordProposal) -> str:
    years = list_years_to_add(proposal)
    periods = [
        str(period.period)
        for year in years
        for period in filings.find_unclosed_periods(
            year, is_quarterly=bool(proposal.proposed["quarterly_filer"])
        )
    ]
    owed = f"It owes {', '.join(periods)}." if periods else "It owes nothing yet."
    earlier = Institution.objects.filter(lei=proposal.lei).order_by("activity_year")
    known = ", ".join(map(str, earlier.values_list("activity_year", flat=True)))
    had = f" It has records of {known}: whoever filed for it then still can." if known else ""
    return f"Adds {proposal.lei} to the panel of {', '.join(map(str, years))}.{had} {owed}"


def _describe_right(proposal: RecordProposal) -> str:
    """Return what the person could do, also one whose right had ended."""
    user = _find_active_user(proposal)
    if user is None:
        return "No one can file for it yet."
    if own := _find_own_membership(user, proposal.lei):
        return f"{user} acts for it already, and stays {roles_of(own).in_words}."
    return f"{user} can prepare and sign{', again' if _is_ended(user, proposal.lei) else ''}."


def _describe_since(proposal: RecordProposal) -> list[str]:
    """Return what staff should know that happened since a change was proposed."""
    since = []
    try:
        duties.require_owing(proposal.lei, Period(proposal.activity_year))
    except NotReady as ending:
        since.append(ending.message)
    if proposal.user and not proposals.may_propose(access.caller_of(proposal.user), proposal.lei):
        since.append(f"{proposal.user} may no longer propose changes of this record.")
    return since


def _is_ended(user: User, lei: str) -> bool:
    return access.find_ended_rights().filter(user=user, lei=lei).exists()


def _emails(proposal: RecordProposal) -> str:
    to = proposal.actor_email
    return f"Emails the answer to {to}." if to else "The person has no email address."

"""Requests of people to act for an institution, or to be its first administrator.

An institution that has an administrator, and whose people do not join by email domain, decides on
each person with its domain. An institution without an administrator gets its first one in one of
two ways: staff make a person administrator, or a person with its domain asks, and the contact on
file agrees with an emailed link. The contact is that of the transmittal sheet which the institution
signed last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller, domain_of, has_verified_email, person_with_email
from filing.emails import outbox, secret_links
from filing.emails.requested import LEFT_OUT
from filing.errors import AlreadyExists, Forbidden, Gone, NotFound, NotReady
from filing.models import AccessRequest, AuditEvent, Membership, PeopleList
from filing.people import administrators, institutions, memberships, own_rights, rosters
from filing.people.institutions import SheetContact
from filing.people.invitations import Roles
from filing.people.own_rights import OWN_ROLE, OwnRight

CONTACT_KIND = "administrator"  # of the email to the contact
VALID = timedelta(days=14)
_STATE, _KIND = AccessRequest.State, AccessRequest.Kind
_STATE_TEXTS = {
    _STATE.GRANTED: "You agreed already, or someone else did.",
    _STATE.REFUSED: "You refused already, or someone else did.",
    _STATE.WITHDRAWN: "The person does not ask any more.",
    _STATE.EXPIRED: "This link has expired. The person can ask again.",
}
NO_CONTACT = (
    "There is no contact on file: the institution has not signed a submission with a contact email "
    "address. Ask the help desk to make you administrator."
)
OWN_CONTACT = (
    "The contact on file has to be another person than you and than who signed the transmittal "
    "sheet. Ask the help desk to make you administrator."
)
_NO_LONGER = (
    "This person can no longer become administrator with this link. Nothing was changed. The help "
    "desk can make a person administrator."
)
HAS_ADMINISTRATOR = "The institution has an administrator. Ask that person for the role."


def find_waiting_leis(leis: Collection[str]) -> set[str]:
    """Return those of some institutions in which an administrator decides on each person."""
    looked_after = access.find_administrators().filter(lei__in=leis).values_list("lei", flat=True)
    by_domain = PeopleList.objects.filter(lei__in=leis, joins_by_domain=True)
    return set(looked_after) - set(by_domain.values_list("lei", flat=True))


@transaction.atomic
def set_requests(user: User, leis: Iterable[str], *, by: Caller) -> None:
    """Set the institutions that a user asks to act for: new requests are made, others withdrawn.

    The administrators get an email about each new one.
    """
    wanted = set(leis)
    open_ones = {
        request.lei: request
        for request in AccessRequest.objects.select_for_update().filter(
            user=user, kind=_KIND.JOIN, state=_STATE.OPEN
        )
    }
    for lei in sorted(open_ones.keys() - wanted):
        _answer(open_ones[lei], _STATE.WITHDRAWN, by=by)
        _record(AuditEvent.ACCESS_REQUEST_WITHDRAWN, open_ones[lei], by=by)
    for lei in sorted(wanted - open_ones.keys()):
        request, is_new = AccessRequest.objects.get_or_create(
            user=user, lei=lei, kind=_KIND.JOIN, state=_STATE.OPEN
        )
        if is_new:
            _record(AuditEvent.ACCESS_REQUESTED, request, by=by)
            _tell_administrators(request)


def find_requests_of(user: User) -> list[AccessRequest]:
    """Return the open requests of a user to act for institutions, by LEI."""
    rows = administrators.find_open_requests().filter(user=user, kind=_KIND.JOIN)
    return list(rows.order_by("lei"))


def find_waiting(lei: str) -> QuerySet[AccessRequest]:
    """Return the requests that wait for an administrator of an institution, the oldest first."""
    rows = administrators.find_open_requests().filter(lei=lei, kind=_KIND.JOIN)
    return rows.select_related("user").order_by("asked_at", "pk")


def find_request(lei: str, request_id: int) -> AccessRequest:
    """Return a request of a person to act for an institution. Raises: NotFound."""
    rows = AccessRequest.objects.select_related("user").filter(kind=_KIND.JOIN)
    if (found := rows.filter(lei=lei, pk=request_id).first()) is None:
        raise NotFound("There is no such request.")
    return found


@transaction.atomic
def grant_request(request: AccessRequest, roles: Roles, *, by: Caller) -> Membership:
    """Give a person who asked access with roles; the person gets an email.

    Raises: NotReady for a request that was answered; Forbidden for a person whose access ended, or
    whose account is disabled; AlreadyExists for one who got access meanwhile; OwnRight for the
    caller's own request.
    """
    roles.require_sound()
    administrators.lock_people(request.lei)
    request = _lock_open(request)
    user = request.user
    if access.find_ended_rights().filter(user=user, lei=request.lei).exists():
        raise Forbidden("The right of this person ended meanwhile. Refuse the request.")
    if not user.is_active:
        raise Forbidden("The account of this person is disabled. Refuse the request.")
    if own_rights.is_same_person(user, by):
        raise OwnRight(OWN_ROLE, lei=request.lei)
    own = Membership.objects.filter(user=user, lei=request.lei)
    if access.are_any_valid(own):
        raise AlreadyExists(f"{user.email} is on the list already. Change the roles there.")
    membership, _ = Membership.objects.update_or_create(
        user=user,
        lei=request.lei,
        defaults={
            "source": "invite",
            "email": user.email,
            "added_by": by.username[:150],
            **roles.to_columns(),
        },
    )
    _answer(request, _STATE.GRANTED, by=by)
    _record(AuditEvent.ACCESS_REQUEST_GRANTED, request, by=by, reason=f"as {roles.in_words}")
    audit.record_event(
        AuditEvent.MEMBERSHIP_ADDED,
        by=by,
        lei=request.lei,
        about=f"{user} ({membership.get_source_display()})",
        reason=roles.in_words,
    )
    _tell_person(request, roles=roles.in_words)
    return membership


@transaction.atomic
def refuse_request(request: AccessRequest, *, by: Caller, reason: str) -> None:
    """Refuse a person who asked, who gets an email with the reason.

    Raises: BadInput without a reason; NotReady for a request that was answered.
    """
    reason = memberships.required_reason(reason)
    _refuse(_lock_open(request), by=by, reason=reason)


def find_refusal_to_ask(user: User, lei: str) -> str:
    """Return why a user cannot ask to be the first administrator; blank if they can.

    Asked when they ask, and again when the contact agrees.
    """
    if not settings.FIRST_ADMINISTRATOR_BY_CONTACT:
        return "Ask the help desk to make you administrator."
    if access.has_administrator(lei):
        return HAS_ADMINISTRATOR
    grounds = list(access.find_grounds(Membership.objects.filter(user=user, lei=lei)))
    if not user.is_active or not any(not facts.lapse for facts in grounds):
        return "Only people who act for the institution can ask."
    domains = next((facts.panel_domains for facts in grounds), None) or ()
    if not has_verified_email(user) or not access.is_of_domain(domain_of(user.email), domains):
        return (
            "Only people with an email domain of the institution can ask. The help desk can make "
            "you administrator."
        )
    contact = institutions.find_sheet_contacts([lei]).get(lei)
    if contact is None:
        return NO_CONTACT
    return OWN_CONTACT if _is_own_contact(contact, user, domains) else ""


def _is_own_contact(contact: SheetContact, user: User, domains: Collection[str]) -> bool:
    """Tell whether a person who asks, or the signer of the sheet, could answer as the contact.

    Whoever signed the sheet wrote any address on it: then only one of the institution counts.
    """
    own = {_mailbox_of(user.email), _mailbox_of(contact.signer_email)}
    if _mailbox_of(contact.email) in own:
        return True
    is_signer = contact.signer_id == access.caller_of(user).id
    return is_signer and not access.is_of_domain(domain_of(contact.email), domains)


def _mailbox_of(address: str) -> str:
    """Return an address without what providers let people add to their own: `ann+hmda@…`."""
    name, _, domain = address.strip().lower().rpartition("@")
    return f"{name.partition('+')[0]}@{domain}"


def find_open_contact_request(lei: str) -> AccessRequest | None:
    """Return the request about a first administrator that the contact has not answered yet."""
    rows = administrators.find_open_requests().filter(lei=lei, kind=_KIND.ADMINISTER)
    return rows.select_related("user").first()


@transaction.atomic
def ask_to_administer(user: User, lei: str, *, by: Caller) -> AccessRequest:
    """Ask the contact on file whether a user becomes the first administrator.

    Raises: NotReady, with what to do instead; AlreadyExists while a request waits for the contact.
    """
    administrators.lock_people(lei)
    if why := find_refusal_to_ask(user, lei):
        raise NotReady(why)
    if (waiting := find_open_contact_request(lei)) and not _is_void(waiting):
        raise AlreadyExists(
            f"{person_with_email(waiting.user)} has asked already. The contact can answer until "
            f"{day_hours.describe_day(waiting.expires_at or waiting.asked_at)}."
        )
    now = timezone.now()
    AccessRequest.objects.filter(lei=lei, kind=_KIND.ADMINISTER, state=_STATE.OPEN).update(
        state=_STATE.EXPIRED, answered_at=now
    )
    request = AccessRequest(
        user=user,
        lei=lei,
        kind=_KIND.ADMINISTER,
        asked_at=now,
        contact_email=institutions.find_contacts([lei]).get(lei, ""),
        expires_at=now + VALID,
    )
    request.sha256 = secret_links.hash_new_link(request.seed)
    request.save()
    _record(AuditEvent.ACCESS_REQUESTED, request, by=by, reason=f"Asked {request.contact_email}.")
    record = administrators.find_newest_record(lei)
    facts = {
        "person": person_with_email(user),
        "name": record.name if record else lei,
        "lei": lei,
        "until": day_hours.describe_day(now + VALID),
        "link": LEFT_OUT,
    }
    about = (str(request.pk),)
    outbox.queue_emails(
        [outbox.draft_email(CONTACT_KIND, about, request.contact_email, facts, institution=record)]
    )
    return request


def find_contact_request(secret: str) -> AccessRequest:
    """Return the request of a link, if it can be answered now. Raises: NotFound; Gone."""
    request = secret_links.find_linked_row(AccessRequest.objects.select_related("user"), secret)
    _require_open_for_contact(request)
    return request


@transaction.atomic
def answer_as_contact(request: AccessRequest, *, agrees: bool) -> None:
    """Make the person administrator as the contact agrees, or refuse; the link works once.

    All people of the institution get an email about a new administrator.

    Raises: Gone for a link that was used or has expired, and where the person could not ask this
    contact now, as once there is an administrator.
    """
    administrators.lock_people(request.lei)
    rows = AccessRequest.objects.select_for_update(of=("self",)).select_related("user")
    request = rows.get(pk=request.pk)
    _require_open_for_contact(request)
    by = Caller(id="", email=request.contact_email)
    if not agrees:
        _refuse(request, by=by, reason="The contact on file refused.")
        return
    membership = Membership.objects.get(user=request.user, lei=request.lei)
    _answer(request, _STATE.GRANTED, by=by)
    _record(AuditEvent.ACCESS_REQUEST_GRANTED, request, by=by)
    reason = f"The contact on file, {request.contact_email}, agreed."
    rosters.make_administrator(membership, by=by, reason=reason)


def make_contact_link(request_id: int) -> str:
    """Return the address in the email to the contact; blank if its secret is lost."""
    request = AccessRequest.objects.get(pk=request_id)
    return secret_links.build_link("filing-contact", request.seed, request.sha256)


def _require_open_for_contact(request: AccessRequest) -> None:
    state = _STATE(request.state)
    if state == _STATE.OPEN and request.expires_at and request.expires_at <= timezone.now():
        state = _STATE.EXPIRED
    if state != _STATE.OPEN:
        raise Gone(_STATE_TEXTS[state])
    if _is_void(request):
        raise Gone(_NO_LONGER)


def _is_void(request: AccessRequest) -> bool:
    """Tell whether a person could not ask the contact of their request now."""
    contact = institutions.find_contacts([request.lei]).get(request.lei)
    is_other = contact != request.contact_email.lower()
    return is_other or bool(find_refusal_to_ask(request.user, request.lei))


def _lock_open(request: AccessRequest) -> AccessRequest:
    """Return a request as it is now, locked. Raises: NotReady if it was answered."""
    rows = AccessRequest.objects.select_for_update(of=("self",)).select_related("user")
    row = rows.get(pk=request.pk)
    if row.state != _STATE.OPEN:
        raise NotReady(f"This request was answered already: {row.get_state_display()}.")
    return row


def _refuse(request: AccessRequest, *, by: Caller, reason: str) -> None:
    _answer(request, _STATE.REFUSED, by=by, reason=reason)
    _record(AuditEvent.ACCESS_REQUEST_REFUSED, request, by=by, reason=reason)
    _tell_person(request, reason=reason)


def _answer(
    request: AccessRequest, state: AccessRequest.State, *, by: Caller, reason: str = ""
) -> None:
    request.state, request.answered_at, request.reason = state, timezone.now(), reason
    request.answered_by = (by.username or by.email)[:254]
    request.save(update_fields=["state", "answered_at", "answered_by", "reason"])


def _record(event: AuditEvent, request: AccessRequest, *, by: Caller, reason: str = "") -> None:
    about = f"{request.user} {request.get_kind_display()}"
    audit.record_event(event, by=by, lei=request.lei, about=about, reason=reason)


def _tell_administrators(request: AccessRequest) -> None:
    rows = administrators.find_administrators(request.lei).order_by("pk")
    facts = {"person": person_with_email(request.user), "request": request.pk}
    addresses = rows.values_list("user__email", flat=True)
    administrators.email_people(
        "access_request", f"{request.pk}", addresses, facts, lei=request.lei
    )


def _tell_person(request: AccessRequest, *, reason: str = "", roles: str = "") -> None:
    facts = {
        "is_granted": request.state == _STATE.GRANTED,
        "is_administrator": request.kind == _KIND.ADMINISTER,
        "reason": reason,
        "roles": roles,
    }
    administrators.email_people(
        "access_answered", f"{request.pk}", [request.user.email], facts, lei=request.lei
    )

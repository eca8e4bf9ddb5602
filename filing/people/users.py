"""Users: the bearers of tokens in our database, and their profiles."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import count

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils import timezone

from filing import access, audit
from filing.access import Caller, NamedRoles, domain_of, has_verified_email
from filing.errors import BadInput, Forbidden
from filing.models import AuditEvent, Identity, Institution, Membership
from filing.models.database import Parameter, PreparedQuery
from filing.people import (
    access_requests,
    administrators,
    institutions,
    invitations,
    memberships,
    own_rights,
    roles,
)
from filing.people.own_rights import OwnRight

# Who gave the roles of a membership that follow the tokens of another provider.
BY_PROVIDER = "the identity provider"
_LONGEST_USERNAME = 150
_LONGEST_NAME = 150
_USE_INTERVAL = timedelta(hours=1)  # not every request has to write
_USE = PreparedQuery(
    lambda: Identity.objects.filter(
        issuer=Parameter("issuer", models.CharField()),
        subject=Parameter("subject", models.CharField()),
    ).values_list(
        "pk",
        "user__is_active",
        "used_at",
        "user__account__generation",
        "user__account__staff_password_at",
    )
)


def find_identity(caller: Caller) -> Identity | None:
    """Return the identity that the issuer of the caller's token means, if it is known here."""
    return (
        Identity.objects.select_related("user")
        .filter(issuer=caller.issuer, subject=caller.id)
        .first()
    )


@transaction.atomic
def create_or_update_user(
    caller: Caller, *, first_name: str, last_name: str, email_verified: bool
) -> Identity:
    """Create or update the user of an external issuer, and return their identity.

    They are found by issuer and subject, never by email address: two issuers may give the same
    address to two people, and a person may change theirs.
    """
    identity = find_identity(caller) or _create(caller)
    user = identity.user
    user.email, user.first_name, user.last_name = caller.email, first_name, last_name
    user.save(update_fields=["email", "first_name", "last_name"])
    identity.email_verified = email_verified
    identity.save(update_fields=["email_verified"])
    memberships.check_memberships(user.memberships.all())
    return identity


def create_token_user(caller: Caller, *, email_verified: bool) -> Identity:
    """Create the user of a token who has not signed in yet, and return their identity.

    Raises: Forbidden on a site with its own accounts, of which this is none.
    """
    if settings.EMBEDDED_PROVIDER:
        raise Forbidden("This token belongs to no account: sign up first")
    first_name, _, last_name = caller.name.rpartition(" ")
    return create_or_update_user(
        caller, first_name=first_name, last_name=last_name, email_verified=email_verified
    )


@transaction.atomic
def apply_token_rights(
    identity: Identity, *, leis: Iterable[str], token_roles: Iterable[str]
) -> None:
    """Give a user exactly the institutions and roles in a token of an external issuer.

    Institutions that staff added or the user confirmed stay. Roles at institutions follow the token
    while it names any; else the institution gives them.
    """
    user, token_roles = identity.user, frozenset(token_roles)
    if roles.assign_roles(user, access.roles_of(token_roles)):
        now = ", ".join(sorted(user.groups.values_list("name", flat=True))) or "none"
        by = access.caller_of(user)
        audit.record_event(AuditEvent.ROLES_CHANGED, by=by, about=f"roles of {user}: {now}")
    valid = {lei for lei in leis if institutions.is_lei(lei)}
    by = access.caller_of(user)
    _set_memberships(user, valid, source="token", by=by)
    _follow_named_roles(user, token_roles, by=by)


def record_sign_in(identity: Identity) -> None:
    """Record a sign-in, also in the audit log, and end memberships that are no longer valid."""
    identity.signed_in_at = timezone.now()
    identity.save(update_fields=["signed_in_at"])
    memberships.check_memberships(identity.user.memberships.all())
    caller = access.caller_of(identity.user)
    audit.record_event(AuditEvent.SIGNED_IN, by=caller, about=f"at {identity.issuer}")


def admit_bearer(caller: Caller) -> bool:
    """Tell whether the bearer of a token is admitted, and record the use of their account.

    A bearer without an account here is admitted: their token alone decides what they may do.
    """
    if caller.only_these_leis or (settings.EMBEDDED_PROVIDER and not caller.has_account):
        return True  # a personal token, already checked; or one created by a command
    facts = _USE.first(issuer=caller.issuer, subject=caller.id)
    if facts is None:
        return True
    identity, is_active, used_at, generation, staff_password_at = facts
    if caller.has_account and (staff_password_at or caller.generation != (generation or 0)):
        return False  # issued before its sign-ins ended, or by a password that is not the user's
    long_ago = timezone.now() - _USE_INTERVAL
    if is_active and (used_at is None or used_at < long_ago):
        is_due = Q(used_at=None) | Q(used_at__lt=long_ago)
        Identity.objects.filter(is_due, pk=identity).update(used_at=timezone.now())
    return bool(is_active)


def find_matching_institutions(user: User) -> list[Institution]:
    """Return the institutions that list the email domain of the user's verified address.

    Those are left out for which the user's right ended, and to which the user added the
    domain themselves.
    """
    if not has_verified_email(user):
        return []
    of_domain = institutions.find_by_email_domain(domain_of(user.email))
    refused = ended_leis_of(user) | own_rights.find_self_given_leis(
        user, {institution.lei for institution in of_domain}
    )
    return [institution for institution in of_domain if institution.lei not in refused]


def ended_leis_of(user: User) -> set[str]:
    """Return the LEIs for which the user's right ended."""
    return set(access.find_ended_rights().filter(user=user).values_list("lei", flat=True))


def confirm_institutions(user: User, leis: Iterable[str], *, by: Caller) -> list[str]:
    """Set the institutions of their email domain that the user acts for.

    Institutions from another source stay, whether or not they are named here. Where an
    administrator decides who joins, the user asks; those institutions are returned.

    Raises: BadInput, naming the institutions that do not list the domain; Forbidden, naming those
    for which the right ended, or which list it because the user added it; NotReady where the user
    is the last administrator of one that is left out.
    """
    with own_rights.record_own_rights(by):
        return _confirm_institutions(user, set(leis), by=by)


@transaction.atomic
def _confirm_institutions(user: User, lei_set: set[str], *, by: Caller) -> list[str]:
    _require_not_ended(user, lei_set)
    others = set(user.memberships.exclude(source="domain").values_list("lei", flat=True))
    if own := sorted(own_rights.find_self_given_leis(user, lei_set - others)):
        raise OwnRight(
            f"You added {domain_of(user.email)} to {', '.join(own)} yourself. Ask another operator "
            "to add your right to file",
            lei=own[0] if len(own) == 1 else "",
        )
    allowed = {institution.lei for institution in find_matching_institutions(user)}
    if wrong := sorted(lei_set - allowed - others):
        raise BadInput(
            f"LEIs not allowed for the user's e-mail domain {domain_of(user.email)!r}: "
            f"{', '.join(wrong)}"
        )
    mine = set(user.memberships.filter(source="domain").values_list("lei", flat=True))
    for lei in sorted(mine - lei_set):
        administrators.lock_people(lei)
        administrators.require_other_administrator(user.memberships.get(lei=lei))
    waiting = access_requests.find_waiting_leis(lei_set - others - mine)
    access_requests.set_requests(user, waiting, by=by)
    _set_memberships(user, lei_set - others - waiting, source="domain", by=by)
    user.memberships.filter(source="domain").update(email=user.email, checked_at=timezone.now())
    return sorted(waiting)


def _require_not_ended(user: User, leis: set[str]) -> None:
    """Refuse institutions for which the user's right ended. Raises: Forbidden."""
    ended = access.find_ended_rights().filter(user=user, lei__in=leis)
    by_staff = dict(ended.values_list("lei", "by_staff"))
    for is_by_staff, who in ((True, "The help desk"), (False, "An administrator")):
        if named := sorted(lei for lei, each in by_staff.items() if each is is_by_staff):
            contact = "the help desk" if is_by_staff else "an administrator of the institution"
            raise Forbidden(
                f"{who} ended your right to file for: {', '.join(named)}. Contact {contact}"
            )


def rename_user(user: User, *, first_name: str, last_name: str, by: Caller) -> None:
    """Change the name of a user.

    Raises: BadInput.
    """
    first_name, last_name = first_name.strip(), last_name.strip()
    if max(len(first_name), len(last_name)) > _LONGEST_NAME:
        raise BadInput(f"A name has at most {_LONGEST_NAME} characters.")
    if (user.first_name, user.last_name) == (first_name, last_name):
        return
    user.first_name, user.last_name = first_name, last_name
    with transaction.atomic():
        user.save(update_fields=["first_name", "last_name"])
        audit.record_event(AuditEvent.PROFILE_CHANGED, by=by, about=f"name of {user}")


def _create(caller: Caller) -> Identity:
    try:
        with transaction.atomic():
            user = User.objects.create_user(_free_username(caller))
            return Identity.objects.create(user=user, issuer=caller.issuer, subject=caller.id)
    except IntegrityError:
        if identity := find_identity(caller):  # created by a request at the same time
            return identity
        raise


def _free_username(caller: Caller) -> str:
    """Return an unused user name: the one in the token, with a number if it is taken."""
    base = (caller.username or caller.email or caller.id)[: _LONGEST_USERNAME - 5]
    names = (base, *(f"{base}-{number}" for number in range(2, 10)))
    used_names = set(User.objects.filter(username__in=names).values_list("username", flat=True))
    for name in names:
        if name not in used_names:
            return name
    return next(
        name
        for number in count(10)
        if not User.objects.filter(username=(name := f"{base}-{number}")).exists()
    )


def _set_memberships(user: User, leis: set[str], *, source: str, by: Caller) -> None:
    """Set the LEIs that a user has from one source."""
    sources = dict(user.memberships.values_list("lei", "source"))
    of_source = {lei for lei, origin in sources.items() if origin == source}
    about = f"{user} ({dict(Membership.SOURCES)[source]})"
    for lei in sorted(of_source - leis):
        user.memberships.filter(lei=lei, source=source).delete()
        audit.record_event(AuditEvent.MEMBERSHIP_REMOVED, by=by, lei=lei, about=about)
    if of_source - leis:
        invitations.withdraw_void_invitations([user], by=by)
    for lei in sorted(leis - sources.keys() - ended_leis_of(user)):
        # Another sign-in, or an invitation that is accepted, may be first.
        _, is_new = Membership.objects.get_or_create(
            user=user, lei=lei, defaults={"source": source}
        )
        if is_new:
            audit.record_event(AuditEvent.MEMBERSHIP_ADDED, by=by, lei=lei, about=about)


def _follow_named_roles(user: User, token_roles: frozenset[str], *, by: Caller) -> None:
    """Give the roles at institutions that a token names; take back those of an earlier token."""
    rows = user.memberships.select_for_update().filter(source="token")
    is_naming = access.names_roles(token_roles)
    if not is_naming:
        rows = rows.filter(added_by=BY_PROVIDER)
    named = access.read_named_roles(token_roles)
    for row in rows:
        before = NamedRoles(row.is_preparer, row.is_signer, row.administrator_since is not None)
        row.added_by = BY_PROVIDER if is_naming else ""
        row.is_preparer, row.is_signer = named.is_preparer, named.is_signer
        if before.is_administrator != named.is_administrator:
            row.administrator_since = timezone.now() if named.is_administrator else None
        if named.is_administrator:
            row.until = None  # an administrator has no last day
        row.save()
        if before != named:
            audit.record_event(
                AuditEvent.MEMBERSHIP_CHANGED,
                by=by,
                lei=row.lei,
                about=f"{user} ({row.get_source_display()})",
                reason=f"{before.in_words} → {named.in_words}",
            )
        if before.is_administrator and not named.is_administrator:
            invitations.withdraw_void_invitations([user], by=by)

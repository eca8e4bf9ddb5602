"""People: who the bearer of a token is in our database, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import count

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from filing import access, audit
from filing.access import Caller
from filing.access.email_domains import domain_of
from filing.access.rights import has_verified_email
from filing.errors import BadInput, Forbidden
from filing.models import Happening, Identity, Institution, Membership
from filing.people import institutions, memberships, roles

_LONGEST_USERNAME = 150
_LONGEST_NAME = 150
_USE_IS_NOTED_EVERY = timedelta(hours=1)  # not each request has to write


def identity_of(caller: Caller) -> Identity | None:
    """Return whom the issuer of the caller's token means, if we know them."""
    return (
        Identity.objects.select_related("user")
        .filter(issuer=caller.issuer, subject=caller.id)
        .first()
    )


@transaction.atomic
def known(caller: Caller, *, first_name: str, last_name: str, email_verified: bool) -> Identity:
    """Return the user that an external issuer speaks of, made or brought up to date.

    They are found by issuer and subject, never by e-mail address: two issuers may give the same
    address to two people, and one person may change theirs.
    """
    identity = identity_of(caller) or _made(caller)
    user = identity.user
    user.email, user.first_name, user.last_name = caller.email, first_name, last_name
    user.save(update_fields=["email", "first_name", "last_name"])
    identity.email_verified = email_verified
    identity.save(update_fields=["email_verified"])
    memberships.check(user.memberships.all())
    return identity


def met(caller: Caller, *, email_verified: bool) -> Identity:
    """Return whom a token speaks of that nobody has signed in with yet.

    Raises: Forbidden where accounts are made here, and this is none of them.
    """
    if settings.EMBEDDED_PROVIDER:
        raise Forbidden("This token belongs to no account: sign up first")
    first_name, _, last_name = caller.name.rpartition(" ")
    return known(caller, first_name=first_name, last_name=last_name, email_verified=email_verified)


def _made(caller: Caller) -> Identity:
    try:
        with transaction.atomic():
            user = User.objects.create_user(_free_username(caller))
            return Identity.objects.create(user=user, issuer=caller.issuer, subject=caller.id)
    except IntegrityError:
        if identity := identity_of(caller):  # made meanwhile: the same person in another tab
            return identity
        raise


@transaction.atomic
def take_over(identity: Identity, *, leis: Iterable[str], token_roles: Iterable[str]) -> None:
    """Give a user the institutions and roles that an external issuer tells of, and no others.

    Institutions that staff have added or the user has confirmed stay.
    """
    user = identity.user
    if roles.assign(user, access.roles_of(token_roles)):
        now = ", ".join(sorted(user.groups.values_list("name", flat=True))) or "none"
        by = access.caller_of(user)
        audit.record(Happening.ROLES_CHANGED, by=by, about=f"roles of {user}: {now}")
    told = {lei for lei in leis if institutions.is_lei(lei)}
    _keep(user, told, source="token", by=access.caller_of(user))


def note_sign_in(identity: Identity) -> None:
    """Keep when somebody signed in, end their memberships that no longer hold, tell the trail."""
    identity.signed_in_at = timezone.now()
    identity.save(update_fields=["signed_in_at"])
    memberships.check(identity.user.memberships.all())
    caller = access.caller_of(identity.user)
    audit.record(Happening.SIGNED_IN, by=caller, about=f"at {identity.issuer}")


def is_let_in(caller: Caller) -> bool:
    """Tell whether the bearer of a token is let in, and keep when they were here.

    Whoever has no account here is: the token alone says what they may do.
    """
    if caller.only_these_leis or (settings.EMBEDDED_PROVIDER and not caller.has_account):
        return True  # a personal token, looked at before; or one that a command made
    known = Identity.objects.filter(issuer=caller.issuer, subject=caller.id)
    found = known.values_list("user__is_active", "used_at").first()
    if found is None:
        return True
    is_active, used_at = found
    long_ago = timezone.now() - _USE_IS_NOTED_EVERY
    if is_active and (used_at is None or used_at < long_ago):
        known.filter(Q(used_at=None) | Q(used_at__lt=long_ago)).update(used_at=timezone.now())
    return bool(is_active)


@transaction.atomic
def note_new_address(user: User, *, by: Caller) -> None:
    """Keep that staff gave a user another address: nobody has verified it yet."""
    user.identities.update(email_verified=False)
    audit.record(Happening.PROFILE_CHANGED, by=by, about=f"email of {user}")
    memberships.check(user.memberships.all(), by=by)


def matching(user: User) -> list[Institution]:
    """Return the institutions whose mail domain the user's verified address has."""
    if not has_verified_email(user):
        return []
    return institutions.of_mail_domain(domain_of(user.email))


@transaction.atomic
def confirm_institutions(user: User, leis: Iterable[str], *, by: Caller) -> None:
    """Make the user act for these institutions of their mail domain, and for no others of it.

    Institutions from another source stay, whether or not they are named here.

    Raises: BadInput, naming the institutions that are not of the domain.
    """
    asked = set(leis)
    others = set(user.memberships.exclude(source="domain").values_list("lei", flat=True))
    allowed = {institution.lei for institution in matching(user)}
    if wrong := sorted(asked - allowed - others):
        raise BadInput(
            f"LEIs not allowed for the user's e-mail domain {domain_of(user.email)!r}: "
            f"{', '.join(wrong)}"
        )
    _keep(user, asked - others, source="domain", by=by)
    user.memberships.filter(source="domain").update(email=user.email, checked_at=timezone.now())


def rename(user: User, *, first_name: str, last_name: str, by: Caller) -> None:
    """Give the user another name.

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
        audit.record(Happening.PROFILE_CHANGED, by=by, about=f"name of {user}")


def _keep(user: User, leis: set[str], *, source: str, by: Caller) -> None:
    """Make these LEIs the ones that the source gives the user."""
    there = dict(user.memberships.values_list("lei", "source"))
    of_source = {lei for lei, its in there.items() if its == source}
    for lei in sorted(of_source - leis):
        user.memberships.filter(lei=lei, source=source).delete()
        audit.record(Happening.MEMBERSHIP_REMOVED, by=by, lei=lei, about=f"{user} ({source})")
    for lei in sorted(leis - there.keys()):
        Membership.objects.create(user=user, lei=lei, source=source)
        audit.record(Happening.MEMBERSHIP_ADDED, by=by, lei=lei, about=f"{user} ({source})")


def _free_username(caller: Caller) -> str:
    """Return a user name that nobody has: what the issuer calls them, with a number if taken."""
    wished = (caller.username or caller.email or caller.id)[: _LONGEST_USERNAME - 5]
    names = (wished, *(f"{wished}-{number}" for number in range(2, 10)))
    taken = set(User.objects.filter(username__in=names).values_list("username", flat=True))
    for name in names:
        if name not in taken:
            return name
    return next(
        name
        for number in count(10)
        if not User.objects.filter(username=(name := f"{wished}-{number}")).exists()
    )

"""Four eyes on rights to file: no one gives them to themselves, not by a detour either.

An institution's email domains give every user with such an address the right to file, once they
confirm it. So no one adds the domain of their own address; and who has added a domain, with which
address ever, does not confirm it. Another member of staff does it, or adds the right by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from filing import access, audit
from filing.access import Caller, domain_of
from filing.errors import Forbidden
from filing.models import AuditEvent, Institution, Membership

_NAMED = 10  # institutions in a message
OWN_ROLE = (
    "You cannot give yourself a role. Ask another administrator of the institution, or the help "
    "desk."
)
SELF_GIVEN = "The user added the email domain to the institution themselves."


class OwnRight(Forbidden):
    """The change would give a right to file to the person who makes it. lei: if it is only one."""

    def __init__(self, message: str, *, lei: str = "") -> None:
        super().__init__(message)
        self.lei = lei


def record_refused_right(refusal: OwnRight, *, by: Caller) -> None:
    """Add a refusal to the audit log. Call this outside of the transaction that it ended."""
    audit.record_refusal(
        AuditEvent.ACCESS_REFUSED, by=by, lei=refusal.lei, about=str(by), reason=refusal.message
    )


@contextmanager
def record_own_rights(by: Caller) -> Iterator[None]:
    """Record refusals of the block. Use it outside of the transaction that they end."""
    try:
        yield
    except OwnRight as refusal:
        record_refused_right(refusal, by=by)
        raise


@contextmanager
def refuse_own_rights(leis: Iterable[str], *, by: Caller) -> Iterator[None]:
    """Make changes of the panel in a transaction, unless they give their author a right to file.

    leis: of the institutions that change.

    Raises: OwnRight.
    """
    domain = domain_of(by.email)
    changed = set(leis)
    before = _list_domain(changed, domain)
    with transaction.atomic():
        yield
        if gained := sorted(_list_domain(changed, domain) - before):
            raise _own_domain(domain, gained)


def require_other_domain(lei: str, domains: Iterable[str], *, by: Caller) -> None:
    """Refuse email domains with which whoever enters them could file. Raises: OwnRight."""
    domain = domain_of(by.email)
    if access.is_of_domain(domain, list(domains)) and not _list_domain({lei}, domain):
        raise _own_domain(domain, [lei])


def require_other_person(user: User, *, by: Caller) -> None:
    """Refuse a right for an account of the person who gives it.

    Raises: OwnRight.
    """
    if user.username == by.username or (by.email and user.email.lower() == by.email.lower()):
        raise OwnRight("You cannot add institutions for yourself; ask another operator.")


def is_same_person(user: User, by: Caller) -> bool:
    """Tell whether a caller is a user."""
    return by.user_key == user.pk if by.user_key else by.username == user.username


def require_other_address(user: User, email: str, *, by: Caller) -> None:
    """Refuse one's own address for the account of another. Raises: OwnRight."""
    if by.email and email.lower() == by.email.lower() and user.username != by.username:
        raise OwnRight(f"{email} is your own address; enter that of {user}.")


def find_self_given_leis(user: User, leis: Iterable[str]) -> set[str]:
    """Return those of some institutions to which the user added the domain of their address."""
    authors = _find_authors(User.objects.filter(pk=user.pk), set(leis))
    return {lei for key, lei, domain in authors if domain == domain_of(user.email)}


def find_self_given(memberships: QuerySet[Membership]) -> set[int]:
    """Return the keys of memberships by email domain that their user has made possible."""
    by_domain = memberships.filter(source="domain")
    users = User.objects.filter(pk__in=by_domain.values("user"))
    if not (authors := _find_authors(users, None)):
        return set()
    rows = by_domain.order_by().values_list("pk", "user", "user__email", "lei")
    return {
        key
        for key, user, email, lei in rows
        if not authors.isdisjoint({(who, lei, domain_of(email)) for who in (user, email.lower())})
    }


def _own_domain(domain: str, leis: list[str]) -> OwnRight:
    more = f" and {len(leis) - _NAMED} more" if len(leis) > _NAMED else ""
    return OwnRight(
        f"{domain} is the domain of your own email address, with which you could then file for "
        f"{', '.join(leis[:_NAMED])}{more}. Ask another operator to make this change.",
        lei=leis[0] if len(leis) == 1 else "",
    )


def _list_domain(leis: set[str], domain: str) -> set[str]:
    """Return those of some institutions whose newest record lists an email domain."""
    if not access.is_of_domain(domain, [domain]):
        return set()
    newest: dict[str, list[str]] = dict(
        Institution.objects.filter(lei__in=leis)
        .order_by("activity_year")
        .values_list("lei", "email_domains")
    )
    return {lei for lei, domains in newest.items() if domain in domains}


def _find_authors(users: QuerySet[User], leis: set[str] | None) -> set[tuple[int | str, str, str]]:
    """Return who added which email domains: their key and their address, LEI and domain.

    Only users of the query, and accounts with their addresses, count.
    """
    addresses = users.exclude(email="").values(address=Lower("email"))
    twins = User.objects.annotate(address=Lower("email")).filter(address__in=addresses)
    entries: QuerySet[LogEntry] = LogEntry.objects.filter(
        Q(actor__in=users) | Q(actor__in=twins.values("pk")),
        content_type=ContentType.objects.get_for_model(Institution),
    ).order_by()
    institutions = Institution.objects.all()
    if leis is not None:
        institutions = institutions.filter(lei__in=leis)
        entries = entries.filter(object_id__in=institutions.values("pk"))
    rows = entries.values_list("object_id", "actor", "actor__email", "changes")
    added = [
        (key, who, domain)
        for key, actor, email, changes in rows.iterator()
        for domain in _added_domains(changes or {})
        for who in (actor, str(email).lower())
    ]
    lei_of = dict(institutions.filter(pk__in={key for key, _, _ in added}).values_list("pk", "lei"))
    return {(who, lei_of[key], domain) for key, who, domain in added if key in lei_of}


def _added_domains(changes: dict[str, Any]) -> set[str]:
    before, after = changes.get("email_domains", ("", ""))
    return _domains(after) - _domains(before)


def _domains(text: Any) -> set[str]:
    """Return the domains in a value of the history: a JSON list, or no value."""
    return set(json.loads(text)) if str(text).startswith("[") else set()

"""How a person is named: the one rule of pages, emails, exports and the admin.

A person is a user, a caller, or a row that names one: the signer of a signature, the actor of an
entry. Rows keep the name of the moment; those of before have none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib.auth.models import User

from filing.access import THE_SERVICE, Caller
from filing.models import Signature


class Person(NamedTuple):
    """What is known of a person; blank where it is not."""

    name: str = ""
    username: str = ""
    email: str = ""
    id: str = ""


def person_name(person: Any) -> str:
    """Return the name of a person: else the user name, the email address, or the ID."""
    name, username, email, key = _person(person)
    return name.strip() or username or email or key or THE_SERVICE


def person_with_email(person: Any) -> str:
    """Return the name of a person and the email address, each once: `Ann, ann@bank.example`."""
    name, email = person_name(person), _person(person).email
    return f"{name}, {email}" if email and email.lower() != name.lower() else name


def _person(subject: Any) -> Person:
    if isinstance(subject, Person):
        return subject
    if isinstance(subject, Caller):
        return Person(subject.name, subject.username, subject.email, subject.id)
    if isinstance(subject, User):
        return Person(subject.get_full_name(), subject.username, subject.email)
    prefix = "signer" if isinstance(subject, Signature) else "actor"
    return Person(*(getattr(subject, f"{prefix}_{part}", "") for part in Person._fields))

"""How a person is named, whatever names them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User

from filing.access import SERVICE, THE_SERVICE, Person, person_name, person_with_email
from filing.models import Note

EMAIL = "ann@bank.example"


@pytest.mark.parametrize(
    ("person", "name", "both"),
    [
        (Person(username="ann", email=EMAIL), "ann", f"ann, {EMAIL}"),
        (Person(username=EMAIL, email=EMAIL), EMAIL, EMAIL),  # an account of our own
        (Person(username="Ann@Bank.example", email=EMAIL), "Ann@Bank.example", "Ann@Bank.example"),
        (Person(email=EMAIL), EMAIL, EMAIL),
        (Person(name=" ", id="7"), "7", "7"),
        (Note(actor_username="ann", actor_email=EMAIL), "ann", f"ann, {EMAIL}"),
        (User(username="ann"), "ann", "ann"),
        (SERVICE, THE_SERVICE, THE_SERVICE),
        (AnonymousUser(), THE_SERVICE, THE_SERVICE),
    ],
)
def test_what_is_missing_is_replaced_and_nothing_stands_twice(
    person: object, name: str, both: str
) -> None:
    assert (person_name(person), person_with_email(person)) == (name, both)

"""How a person is named, whatever names them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User

from filing.access import SERVICE, THE_SERVICE, Caller, Person, person_name, person_with_email
from filing.models import Note, Signature, StatusChange

EMAIL = "ann@bank.example"
FACTS = {"name": "Ann Example", "username": "ann", "email": EMAIL}
WHOLE = [
    Person(**FACTS),
    Caller(id="7", **FACTS),
    User(username="ann", email=EMAIL, first_name="Ann", last_name="Example"),
    Signature(**{f"signer_{name}": value for name, value in FACTS.items()}),
    StatusChange(**{f"actor_{name}": value for name, value in FACTS.items()}),
]


@pytest.mark.parametrize("person", WHOLE, ids=lambda person: type(person).__name__)
def test_a_name_is_the_same_wherever_it_stands(person: object) -> None:
    assert person_name(person) == "Ann Example"
    assert person_with_email(person) == f"Ann Example, {EMAIL}"


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

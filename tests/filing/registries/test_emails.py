"""Kinds of email are registered by the areas that write them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from filing import registries
from filing.apps import EMAILS
from filing.jobs import queue
from filing.models import Mail


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(registries, "EMAIL_KINDS", dict(registries.EMAIL_KINDS))


def write(kind: str) -> Mail:
    with transaction.atomic():
        return Mail.objects.create(
            kind=kind, key=kind, to="ann@bank.example", job=queue.add_job("mail")
        )


def test_kinds_of_all_areas_are_offered() -> None:
    assert {*EMAILS, "sign-up", "password"} <= set(dict(registries.list_email_kinds()))
    assert registries.list_email_kinds() == Mail._meta.get_field("kind").flatchoices


def test_a_kind_belongs_to_one_area() -> None:
    registries.register_email_kinds({"weighing": "file weighed"})
    registries.register_email_kinds({"weighing": "file weighed"})  # the same once more is no other
    with pytest.raises(ValueError, match="There is another kind of email named 'weighing'"):
        registries.register_email_kinds({"weighing": "file on the scales"})


@pytest.mark.parametrize("name", ["", "weighing" * 6])
def test_a_kind_fits_into_its_column(name: str) -> None:
    with pytest.raises(ValueError, match="in 1 to 40 characters"):
        registries.register_email_kinds({name: "file weighed"})


@pytest.mark.django_db
def test_no_email_of_a_kind_that_nobody_registered_is_written() -> None:
    with pytest.raises(ValueError, match="'weighing' as kind of emails"):
        write("weighing")
    assert not Mail.objects.exists()


@pytest.mark.django_db
def test_the_list_shows_a_kind_of_another_area_and_filters_by_it(client: Client) -> None:
    registries.register_email_kinds({"weighing": "file weighed"})
    write("weighing")
    client.force_login(User.objects.create_superuser("boss"))
    address = reverse("admin:filing_mail_changelist")
    page = client.get(address, {"kind__exact": "weighing"}).content.decode()
    assert "file weighed" in page
    assert "ann@bank.example" in page
    others = client.get(address, {"kind__exact": "receipt"}).content.decode()
    assert "ann@bank.example" not in others

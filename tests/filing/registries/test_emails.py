"""Kinds of email are registered by the areas that write them."""

from __future__ import annotations

import pytest
from django.db import transaction

from filing import registries
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


def test_a_kind_belongs_to_one_area() -> None:
    registries.register_email_kinds({"weighing": "file weighed"})
    registries.register_email_kinds({"weighing": "file weighed"})  # the same once more is no other
    with pytest.raises(ValueError, match="There is another kind of email named 'weighing'"):
        registries.register_email_kinds({"weighing": "file on the scales"})


@pytest.mark.parametrize("name", ["", "weighing" * 6])
def test_a_kind_fits_into_its_column(name: str) -> None:
    with pytest.raises(ValueError, match="in 1 to 40 characters"):
        registries.register_email_kinds({name: "file weighed"})

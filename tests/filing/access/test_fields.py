"""The table of fields and readers is complete, and denies what it does not name."""

from __future__ import annotations

from typing import Any

import pytest

from filing.access import fields
from filing.access.fields import FIELDS, Readers
from filing.models import Institution, Webhook
from publicapi.institutions import PARAMETERS


@pytest.mark.parametrize("model", FIELDS, ids=lambda model: model.__name__)
def test_each_field_of_a_table_has_one_line(model: Any) -> None:
    named = [name for names in FIELDS[model].values() for name in names.split()]
    assert sorted(named) == sorted(field.name for field in model._meta.concrete_fields)


def test_a_field_without_a_line_is_for_no_one() -> None:
    assert fields.readers_of(Institution, "new_field") is Readers.NO_ONE
    assert not fields.may_read_field(Readers.STAFF, Institution, "new_field")


def test_a_row_is_blank_where_its_reader_may_not_read() -> None:
    row = Institution(lei="L", name="Bank", tax_id="12-3456789", notes="Call first.", agency=9)
    shown = {reader: fields.as_read_by(reader, row) for reader in Readers if reader}
    assert {reader: (each.tax_id, each.notes) for reader, each in shown.items()} == {
        Readers.STAFF: ("12-3456789", "Call first."),
        Readers.OWNER: ("12-3456789", ""),
        Readers.FILERS: ("12-3456789", ""),
        Readers.ANYONE: ("", ""),
    }
    assert {(each.lei, each.name, each.agency) for each in shown.values()} == {("L", "Bank", 9)}
    assert row.notes == "Call first."
    assert fields.as_read_by(Readers.STAFF, Webhook(url="u", secret="s")).secret == ""


def test_anyone_searches_by_what_anyone_may_read() -> None:
    columns = {"domain": "email_domains"}
    for name in PARAMETERS.values():
        assert fields.may_read_field(Readers.ANYONE, Institution, columns.get(name, name))

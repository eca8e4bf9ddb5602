"""The domain of an email address, computed by the database."""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, Func, Q
from django.db.models.lookups import Exact


class MailDomain(Func):
    """The part of an address after the `@`, in lower case; blank for a blank address."""

    arity = 1
    output_field = CharField()
    # Without parameters: an index is only used for exactly the same expression.
    template = "LOWER(SUBSTR(%(expressions)s, INSTR(%(expressions)s, '@') + 1))"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "LOWER(SPLIT_PART(%(expressions)s, '@', 2))"
        return self.as_sql(compiler, connection, template=template, **extra)


def is_within(field: str, domain: str) -> Q:
    """Return the condition that the addresses of a column are in a domain."""
    return Q(Exact(MailDomain(field), domain))


def is_address(field: str, address: str) -> Q:
    """Return the condition that a column has an address, which the index finds by its domain."""
    return is_within(field, address.rpartition("@")[2].lower()) & Q(**{f"{field}__iexact": address})

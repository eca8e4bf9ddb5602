"""The domain of a mail address, as a database finds it: what people of one house have in common."""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, Func, Q
from django.db.models.lookups import Exact


class MailDomain(Func):
    """What stands behind the `@` of an address, in small letters; blank for a blank."""

    arity = 1
    output_field = CharField()
    # Written out, since an index is used only for the very same expression without parameters.
    template = "LOWER(SUBSTR(%(expressions)s, INSTR(%(expressions)s, '@') + 1))"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "LOWER(SPLIT_PART(%(expressions)s, '@', 2))"
        return self.as_sql(compiler, connection, template=template, **extra)


def is_within(field: str, domain: str) -> Q:
    """Return the condition that an address column is of a domain."""
    return Q(Exact(MailDomain(field), domain))


def is_address(field: str, address: str) -> Q:
    """Return the condition that an address column is this one, found by its domain."""
    return is_within(field, address.rpartition("@")[2].lower()) & Q(**{f"{field}__iexact": address})

"""Who calls, and whether they may act for an institution. Nothing else decides that."""

from __future__ import annotations

from dataclasses import dataclass

from filing.errors import Forbidden

ADMIN_ROLE = "hmda-admin"


@dataclass(frozen=True)
class Caller:
    """The bearer of a verified token: `request.user` of every API request that needs one.

    There is no user table behind it. What the token says holds for the life of the token.
    """

    id: str
    username: str = ""
    email: str = ""
    name: str = ""
    leis: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    # What the framework asks of a user.
    is_authenticated = True
    is_anonymous = False
    is_active = True

    @property
    def pk(self) -> str:
        return self.id

    def __str__(self) -> str:
        return self.username or self.id


# The service itself, where a stage moves a submission and nobody asked for it.
SERVICE = Caller(id="")


class AccessDenied(Forbidden):
    """A good token without this LEI.

    Its answer names neither the path nor the institution: it must be the same whether or not the
    institution exists.
    """

    def __init__(self) -> None:
        super().__init__("Authorization Token does not carry the LEI of this request")


def may_file(caller: Caller, lei: str) -> bool:
    """Tell whether the caller may create, upload, review, verify and sign for the institution.

    LEIs are compared exactly. The admin role gives no right to file.
    """
    return lei in caller.leis


def may_read(caller: Caller, lei: str) -> bool:
    """Tell whether the caller may read the latest submission, summary and disclosure files."""
    return may_file(caller, lei) or ADMIN_ROLE in caller.roles


def require_filer(caller: Caller, lei: str) -> None:
    """Return if the caller may file for the institution.

    Raises: AccessDenied.
    """
    if not may_file(caller, lei):
        raise AccessDenied


def require_reader(caller: Caller, lei: str) -> None:
    """Return if the caller may read what the institution has filed.

    Raises: AccessDenied.
    """
    if not may_read(caller, lei):
        raise AccessDenied

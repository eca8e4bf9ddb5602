"""The links that one user sees on the front page of the admin, and beside each table there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from config.pages.navigation import find_address
from filing import registries
from filing.registries import AdminLink, Backlog


class Permitted(Protocol):
    """A user, as far as links need one."""

    def has_perms(self, perm_list: Any) -> bool:
        """Return whether the user has all these permissions."""
        ...


@dataclass(frozen=True, slots=True)
class WorkRow:
    """A row of the work list: what waits, how much, for whom, and the page that lists it."""

    label: str
    address: str
    about: str
    waits_for: str
    backlog: Backlog

    @property
    def is_urgent(self) -> bool:
        """Whether staff have to act, not filers or the service."""
        return self.waits_for not in {"filers", "the service"}


def links_of(user: Permitted) -> Iterator[dict[str, str]]:
    """Yield the tasks of a user, as the front page shows them."""
    for link in registries.ADMIN_LINKS:
        if not link.backlog and (address := _address_for(link, user)):
            yield {"label": link.label, "address": address, "about": link.about}


def list_work(user: Permitted) -> list[WorkRow]:
    """Return what can wait for a user, in the order of the links, also where nothing does."""
    return [
        WorkRow(link.label, address, link.about, link.waits_for, link.backlog())
        for link in registries.ADMIN_LINKS
        if link.backlog and (address := _address_for(link, user))
    ]


def table_action(label: str, add_address: str | None, user: Permitted) -> dict[str, str] | None:
    """Return the link beside a table, by the name of its model; none for a user who may only look.

    add_address: of the page that adds a row, where the user may.
    """
    if link := registries.find_table_link(label):
        address = _address_for(link, user)
        return {"label": link.verb, "address": address} if address else None
    return {"label": "Add", "address": add_address} if add_address else None


def _address_for(link: AdminLink, user: Permitted) -> str:
    """Return the address of a link, blank for a user who may not go there."""
    address = find_address(link.to) if user.has_perms(link.permissions) else ""
    return f"{address}?{link.query}" if address and link.query else address

"""The links on the front page of the admin. Each app registers its own.

An app does so where its pages are, in its `admin`: workers and commands show no page.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

LAST = 1000  # the place of a link that everyone can use


@dataclass(frozen=True, slots=True)
class AdminLink:
    """A link to a page of the admin; its label begins with a verb where something is done there.

    to: the URL name of the page. A link is shown where the site has the page and the user has the
    permissions, in ascending order of place. verb, table: for a page that does more than add a row,
    the word shown beside a table in the list below the links, and the label of its model.
    """

    label: str
    to: str
    permissions: tuple[str, ...]
    about: str
    query: str = ""
    place: int = 500
    verb: str = ""
    table: str = ""


ADMIN_LINKS: list[AdminLink] = []


def register(*links: AdminLink) -> None:
    """Add links to the front page.

    Raises: ValueError where another link has the same label, or the same table.
    """
    for link in links:
        for other in ADMIN_LINKS:
            if other != link and other.label == link.label:
                raise ValueError(f"There is another link named {link.label!r}.")
            if other != link and link.table and other.table == link.table:
                raise ValueError(f"{other.label!r} is already the link of {link.table}.")
        if link not in ADMIN_LINKS:
            ADMIN_LINKS.append(link)
    ADMIN_LINKS.sort(key=attrgetter("place"))


def of_table(label: str) -> AdminLink | None:
    """Return the link of a table, by the label of its model; none where rows are just added."""
    return next((link for link in ADMIN_LINKS if link.table == label), None)

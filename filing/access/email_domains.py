"""Email domains, and whether one shows that a user belongs to an institution."""

from __future__ import annotations

import re
from collections.abc import Collection

# Anyone can get an address in these, so they prove nothing about an institution.
# fmt: off
PUBLIC_EMAIL_DOMAINS = frozenset({
    "aim.com", "aol.com", "att.net", "bellsouth.net", "charter.net", "comcast.net", "cox.net",
    "earthlink.net", "fastmail.com", "gmail.com", "gmx.com", "gmx.net", "googlemail.com",
    "hotmail.com", "icloud.com", "inbox.com", "juno.com", "live.com", "mac.com", "mail.com",
    "me.com", "msn.com", "outlook.com", "pm.me", "proton.me", "protonmail.com", "rocketmail.com",
    "sbcglobal.net", "tutanota.com", "verizon.net", "yahoo.com", "yandex.com", "ymail.com",
    "zoho.com",
})
# fmt: on

_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")


def domain_of(address: str) -> str:
    """Return the domain of an email address in lower case; blank if it has none."""
    return address.rpartition("@")[2].strip().lower()


def is_domain(text: str) -> bool:
    """Return whether a text in lower case has the shape of an email domain."""
    return _DOMAIN.fullmatch(text) is not None


def is_of_domain(domain: str, email_domains: Collection[str]) -> bool:
    """Return whether a domain is one of an institution's. Public email domains never are."""
    return domain in email_domains and domain not in PUBLIC_EMAIL_DOMAINS and is_domain(domain)

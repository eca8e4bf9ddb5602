"""Reads environment variables. An error names the variable, its value and what is accepted.

Each of them may be in a file instead, which `NAME_FILE` names: secrets then appear neither in the
environment of a process nor in the description of a container.
"""

from __future__ import annotations

import os
import re
import secrets
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.limits.policies import LimitPolicy, read_policy

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}
_EMAIL = re.compile(r"[^\s:@]+@[^\s@]+")
# Every variable that was read here, which is every one that the settings know.
NAMES: set[str] = set()


def text(name: str, default: str = "") -> str:
    """Return the variable, or the text of the file that `NAME_FILE` names.

    The default is returned if neither is set, and for a blank text.

    Raises: ImproperlyConfigured if both are set, and for a file that cannot be read.
    """
    value, in_file = os.environ.get(name, "").strip(), f"{name}_FILE"
    NAMES.update((name, in_file))
    content = text_of_file(in_file)
    if value and content:
        raise ImproperlyConfigured(f"{name} and {in_file} are both set; set one of them.")
    return value or content or default


def text_of_file(name: str) -> str:
    """Return the text of the file that the variable names; blank if it is unset.

    Raises: ImproperlyConfigured for a file that cannot be read.
    """
    path = os.environ.get(name, "").strip()
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{name}={path!r} cannot be read: {error}; enter the path of a text file in UTF-8."
        ) from error


def contacts(name: str) -> list[str]:
    """Return the comma-separated contacts of the variable as https:, mailto: or tel: URIs.

    Raises: ImproperlyConfigured for anything but email addresses and such URIs.
    """
    return [_contact(name, word) for word in words(name)]


def _contact(name: str, word: str) -> str:
    if re.fullmatch(r"(https://|mailto:|tel:)\S+", word):
        return word
    if _EMAIL.fullmatch(word):
        return f"mailto:{word}"
    raise ImproperlyConfigured(
        f"{name}={word!r} is not a contact; enter an email address, or an address that begins with "
        "https://, mailto: or tel:."
    )


def emails(name: str) -> list[str]:
    """Return the email addresses of the variable, which spaces or commas separate.

    Raises: ImproperlyConfigured for anything else.
    """
    addresses = words(name)
    for address in addresses:
        if not _EMAIL.fullmatch(address):
            raise ImproperlyConfigured(
                f"{name}={address!r} is not an email address; enter one such as audit@site.example."
            )
    return addresses


def omb_number(name: str) -> str:
    """Return the OMB control number of the variable; blank if it is unset.

    Raises: ImproperlyConfigured for anything else.
    """
    number = text(name)
    if number and not re.fullmatch(r"\d{4}-\d{4}", number):
        raise ImproperlyConfigured(
            f"{name}={number!r} is not an OMB control number; enter four digits, a hyphen and four "
            "digits, such as 3170-0008."
        )
    return number


def flag(name: str, *, default: bool) -> bool:
    """Return the variable as a boolean.

    Raises: ImproperlyConfigured for a text that is neither true nor false.
    """
    if name not in os.environ and f"{name}_FILE" not in os.environ:
        return default
    value = text(name).lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} must be true or false.")


def number(name: str, default: int, *, at_least: int = 0) -> int:
    """Return the variable as a whole number.

    Raises: ImproperlyConfigured for anything else, and for a number below the minimum.
    """
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < at_least:
        raise ImproperlyConfigured(
            f"{name}={value!r} must be a whole number of at least {at_least}."
        )
    return int(value)


def years(name: str, default: str) -> tuple[int, ...]:
    """Return the years of the variable, ascending.

    Raises: ImproperlyConfigured for anything but lists and ranges of years.
    """
    years: set[int] = set()
    for word in words(name, default):
        first, _, last = word.partition("-")
        ends = [first.strip(), (last or first).strip()]
        if not all(len(year) == 4 and year.isdecimal() for year in ends) or ends[0] > ends[1]:
            raise ImproperlyConfigured(
                f"{name}={word!r} must be years, such as 2018-2022 or 2018,2020."
            )
        years.update(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(sorted(years))


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated parts of the variable."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def reasons(name: str) -> dict[str, str]:
    """Return the reasons of the variable by what each is for: `service.E002: a pilot; ...`.

    Raises: ImproperlyConfigured for an entry without a reason.
    """
    reasons = {}
    for entry in filter(None, map(str.strip, text(name).split(";"))):
        subject, _, reason = map(str.strip, entry.partition(":"))
        if not subject or not reason:
            raise ImproperlyConfigured(
                f"{name} has the entry {entry!r} without a reason; enter the id of a check, a "
                "colon and the reason, such as service.W015: one machine, with a daily backup."
            )
        reasons[subject] = reason
    return reasons


def one_of(name: str, default: str, *choices: str) -> str:
    """Return the variable, one of some words, in lowercase.

    Raises: ImproperlyConfigured for any other word.
    """
    value = text(name, default).lower()
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r} must be one of {', '.join(choices)}.")
    return value


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the comma-separated networks of the variable; a single address counts as one.

    Raises: ImproperlyConfigured for anything else.
    """
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read: {error}; enter networks such as 10.0.0.0/8,fd00::/8."
        ) from error


def limit(name: str, default: str) -> LimitPolicy | None:
    """Return the rate limit of the variable `LIMIT_...`, None if it is off.

    Raises: ImproperlyConfigured for anything else.
    """
    value = text(name, default)
    try:
        return read_policy(name.removeprefix("LIMIT_").lower().replace("_", "-"), value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={value!r} cannot be read: {error}.") from error


def secret(name: str, kept_in: Path) -> str:
    """Return the secret from the environment or its file, else one made at the first start.

    The generated one is stored in a file that only its owner can read, for the next start.
    """
    if value := text(name):
        return value
    if not kept_in.exists():
        kept_in.parent.mkdir(parents=True, exist_ok=True)
        temporary = kept_in.with_suffix(f".{os.getpid()}")
        temporary.touch(mode=0o600)
        temporary.write_text(secrets.token_urlsafe(50))
        try:
            os.link(temporary, kept_in)  # the first of several processes wins; the others read it
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    return kept_in.read_text().strip()

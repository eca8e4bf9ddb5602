"""The command that prints a bearer token."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.identity import bearer
from filing.models import Happening, TrailEntry

LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"


pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _keys(key_folder: Path) -> None:
    """The provider's keys lie in a folder of the test's own."""


def printed(*arguments: str) -> str:
    out, err = StringIO(), StringIO()
    call_command("token", *arguments, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue()


def test_the_token_and_nothing_else_is_printed() -> None:
    lines = printed("--lei", LEI).splitlines()
    assert len(lines) == 1
    assert lines[0].count(".") == 2


def test_the_trail_tells_of_the_token() -> None:
    printed("--lei", LEI, "--email", "ann@bank.example")
    entry = TrailEntry.objects.get()
    assert (entry.happening, entry.actor_email, entry.about) == (
        Happening.TOKEN_ISSUED,
        "ann@bank.example",
        "manage.py token",
    )


CALLERS = [
    (["--lei", LEI], {LEI}, "filer@example.com", set()),
    (["--lei", f"{LEI},{OTHER_LEI}"], {LEI, OTHER_LEI}, "filer@example.com", set()),
    (["--lei", f" {LEI} , {OTHER_LEI} "], {LEI, OTHER_LEI}, "filer@example.com", set()),
    (["--lei", LEI, "--email", "ann@bank.example"], {LEI}, "ann@bank.example", set()),
    (["--lei", LEI, "--role", "hmda-admin"], {LEI}, "filer@example.com", {"hmda-admin"}),
    (["--lei", "NOSUCHINSTITUTION"], {"NOSUCHINSTITUTION"}, "filer@example.com", set()),
]


@pytest.mark.parametrize(("arguments", "leis", "email", "roles"), CALLERS)
def test_the_token_is_taken_by_the_api(
    arguments: list[str], leis: set[str], email: str, roles: set[str]
) -> None:
    caller = bearer.caller_of(bearer.verified(printed(*arguments).strip()))
    assert caller.leis == leis
    assert caller.email == caller.username == email
    assert caller.roles == roles


def test_the_same_address_stays_the_same_person() -> None:
    def person(email: str) -> str:
        return bearer.verified(printed("--lei", LEI, "--email", email).strip())["sub"]

    assert person("ann@bank.example") == person("ann@bank.example") != person("ben@bank.example")


@pytest.mark.parametrize(("arguments", "seconds"), [([], 900), (["--minutes", "60"], 3600)])
def test_the_token_is_good_for_so_long(arguments: list[str], seconds: int) -> None:
    claims = bearer.verified(printed("--lei", LEI, *arguments).strip())
    assert claims["exp"] - claims["iat"] == seconds


@pytest.mark.parametrize(
    "leis", ["", " ", ",", f"{LEI},", f"{LEI},,{OTHER_LEI}", "5299 00", "5299-00", "LÉI"]
)
def test_what_is_no_lei_is_refused(leis: str) -> None:
    with pytest.raises(CommandError, match="is no LEI"):
        printed("--lei", leis)


@pytest.mark.parametrize("minutes", ["0", "-5", "1441"])
def test_a_life_out_of_range_is_refused(minutes: str) -> None:
    with pytest.raises(CommandError, match="must be from 1 to 1440"):
        printed("--lei", LEI, f"--minutes={minutes}")


def test_without_an_lei_there_is_no_token() -> None:
    with pytest.raises(CommandError, match="--lei"):
        printed()


def test_no_token_is_made_where_another_provider_issues_them(settings: Any) -> None:
    settings.EMBEDDED_PROVIDER = False
    settings.OIDC_ISSUER = "https://id.example/realms/hmda2"
    with pytest.raises(CommandError, match=r"come from https://id\.example/realms/hmda2: sign in"):
        printed("--lei", LEI)

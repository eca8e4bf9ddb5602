"""The command that prints a bearer token."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.identity import bearer
from config.running import data_folder
from filing.models import AuditEvent, Institution, TrailEntry
from tests import make

LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"


pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _keys(key_folder: Path) -> None:
    """The provider's keys lie in a folder of the test's own."""


@pytest.fixture(autouse=True)
def _panel() -> None:
    """The panel of two years has the institutions that tokens are made for."""
    for year, lei in ((2024, LEI), (2025, LEI), (2024, OTHER_LEI)):
        make.institution(lei, year=year)


def printed(*arguments: str) -> str:
    out, err = StringIO(), StringIO()
    call_command("token", *arguments, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue()


def test_the_trail_tells_of_the_token() -> None:
    printed("--lei", LEI, "--email", "ann@bank.example")
    entry = TrailEntry.objects.get()
    assert (entry.event, entry.actor_email, entry.about) == (
        AuditEvent.TOKEN_ISSUED,
        "ann@bank.example",
        "manage.py token",
    )


CALLERS = [
    (["--lei", LEI], {LEI}, "filer@example.com", set()),
    (["--lei", f" {LEI} , {OTHER_LEI} "], {LEI, OTHER_LEI}, "filer@example.com", set()),
    (["--lei", LEI, "--email", "ann@bank.example"], {LEI}, "ann@bank.example", set()),
    (["--role", "hmda-admin"], set(), "filer@example.com", {"hmda-admin"}),
]


@pytest.mark.parametrize(("arguments", "leis", "email", "roles"), CALLERS)
def test_the_token_is_taken_by_the_api(
    arguments: list[str], leis: set[str], email: str, roles: set[str]
) -> None:
    caller = bearer.caller_from_claims(bearer.verify_access_token(printed(*arguments).strip()))
    assert caller.leis == leis
    assert caller.email == caller.username == email
    assert caller.roles == roles


@pytest.mark.parametrize(("arguments", "seconds"), [([], 900), (["--minutes", "60"], 3600)])
def test_the_token_is_good_for_so_long(arguments: list[str], seconds: int) -> None:
    claims = bearer.verify_access_token(printed("--lei", LEI, *arguments).strip())
    assert claims["exp"] - claims["iat"] == seconds


@pytest.mark.parametrize("leis", ["", f"{LEI},", "5299-00", "LÉI"])
def test_what_is_no_lei_is_refused(leis: str) -> None:
    with pytest.raises(CommandError, match="is not an LEI"):
        printed("--lei", leis)


@pytest.mark.parametrize("minutes", ["0", "-5", "1441"])
def test_a_life_out_of_range_is_refused(minutes: str) -> None:
    with pytest.raises(CommandError, match="must be from 1 to 1440"):
        printed("--lei", LEI, f"--minutes={minutes}")


def test_without_an_lei_or_a_role_there_is_no_token() -> None:
    with pytest.raises(CommandError, match=f"--lei is missing. .* such as {LEI}, {OTHER_LEI};"):
        printed()


@pytest.mark.parametrize("asked", ["NOSUCHINSTITUTION", f"{LEI},NOSUCHINSTITUTION"])
def test_an_lei_that_no_panel_has_is_refused_with_those_that_are_taken(
    asked: str, settings: Any
) -> None:
    with pytest.raises(CommandError) as refusal:
        printed("--lei", asked)
    assert str(refusal.value) == (
        "No panel has the LEI NOSUCHINSTITUTION. "
        f"Enter one of the panel, such as {LEI}, {OTHER_LEI}; "
        f"{settings.PUBLIC_URL}/admin/filing/institution/ lists them all."
    )
    assert not TrailEntry.objects.exists()


def test_an_empty_panel_is_named_with_the_way_to_load_one() -> None:
    Institution.objects.all().delete()
    with pytest.raises(CommandError, match=r"The panel is empty.*load_institutions"):
        printed("--lei", LEI)


@pytest.mark.parametrize(
    ("name", "value"), [("PUBLIC_URL", "http://localhost:8123"), ("OIDC_AUDIENCE", "other-api")]
)
def test_a_token_that_the_service_which_runs_here_would_refuse_is_not_made(
    settings: Any, tmp_path: Path, name: str, value: str
) -> None:
    settings.DATA_DIR = tmp_path
    environment = data_folder.shared_environment(settings) | {name: value}
    service = data_folder.RunningService(port=8123, public_url="", environment=environment)
    with data_folder.claim_data_folder(tmp_path, service), pytest.raises(CommandError) as refusal:
        printed("--lei", LEI)
    assert str(refusal.value) == (
        f"This command has {name}={getattr(settings, name)}, so {service} would refuse its token. "
        f"Set the values of the service: {name}={value}"
    )


def test_no_token_is_made_where_another_provider_issues_them(settings: Any) -> None:
    settings.EMBEDDED_PROVIDER = False
    settings.OIDC_ISSUER = "https://id.example/realms/hmda2"
    with pytest.raises(CommandError, match=r"come from https://id\.example/realms/hmda2\. Sign in"):
        printed("--lei", LEI)

"""What `manage.py prepare --demo` makes, and what the start of the service says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command

from config import demo
from config.management.commands import prepare, serve
from databrowser.publication import serving
from filing import access
from filing.demo import panel
from filing.models import TrailEntry
from filing.people import users
from graphs.models import Shown

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _data_dir(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.IDENTITY_KEY_DIR = tmp_path / "identity"
    settings.BROWSER_YEARS = (2022,)  # one data set is as good as five, and sooner built


def test_the_demo_has_a_login_of_each_role() -> None:
    call_command("prepare", demo=True)
    logins = dict(line.split()[:2] for line in demo.logins_file().read_text().splitlines())
    assert set(logins) == {"filer", "helpdesk", "operator", "administrator"}
    for role in access.ROLES:
        (user,) = User.objects.filter(groups__name=role.group)
        assert user.check_password(logins[user.username])
        assert (user.is_staff, user.is_superuser) == (role.is_staff, False)
    assert [(version.year, version.rows) for version in serving.live_data_sets()] == [
        (2022, demo.ROWS)
    ]
    assert set(Group.objects.values_list("name", flat=True)) == {
        role.group for role in access.ROLES
    }
    filer = User.objects.get(username="filer")
    lei = panel.make_institutions()[0]["lei"]
    assert [membership.lei for membership in filer.memberships.all()] == [lei]
    assert lei in {institution.lei for institution in users.find_matching_institutions(filer)}
    text = serve.welcome()
    for name, password in logins.items():
        assert name in text
        assert password in text
    assert "/sign-in/" in text
    assert lei in text


def test_preparing_again_makes_nothing_anew() -> None:
    call_command("prepare", demo=True)
    before = demo.logins_file().read_text(), User.objects.count(), TrailEntry.objects.count()
    call_command("prepare", demo=True)
    after = demo.logins_file().read_text(), User.objects.count(), TrailEntry.objects.count()
    assert after == before


def test_a_start_that_was_cut_off_is_completed_by_the_next_one() -> None:
    assert prepare.prepare_data_folder(demo=True)  # and the process ended here
    prepare.publish_demo_records()  # or here, before the graphs
    assert [version.year for version in serving.live_data_sets()] == [2022]
    assert not Shown.objects.exists()
    call_command("prepare", demo=True)
    assert Shown.objects.get().computation.rows
    assert len(serving.live_data_sets()) == 1
    assert not prepare.prepare_data_folder(demo=True)


def test_a_start_that_was_cut_off_before_its_builds_publishes_every_year(settings: Any) -> None:
    settings.BROWSER_YEARS = (2021, 2022)
    prepare.prepare_data_folder(demo=True)
    demo.publish_records([2022])
    assert prepare.prepare_data_folder(demo=True)
    prepare.publish_demo_records()
    assert [version.year for version in serving.live_data_sets()] == [2021, 2022]


def test_a_site_with_another_provider_has_no_demo_logins(settings: Any) -> None:
    settings.EMBEDDED_PROVIDER = False
    call_command("prepare", demo=True)
    assert not User.objects.exists()
    assert "none" in serve.welcome()
    assert not demo.logins_file().exists()  # or the next start of a production site is refused

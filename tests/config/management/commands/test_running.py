"""The command that says where the service runs, and what to try it with."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpRequest, HttpResponse

from config.health import probes
from config.management.commands import prepare
from config.running import data_folder
from config.running.supervisor import free_port
from filing.demo import panel
from tests import make
from tests.config.answering import answering

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def printed(folder: Path, view: Callable[[HttpRequest], HttpResponse] = probes.healthz) -> str:
    out = StringIO()
    with answering(view) as port:
        service = data_folder.RunningService(port=port, public_url="http://here:8123")
        with data_folder.claim_data_folder(folder, service):
            call_command("running", stdout=out)
    return out.getvalue()


def test_it_prints_address_year_and_a_made_up_institution(tmp_path: Path) -> None:
    leis = [facts["lei"] for facts in panel.make_institutions()]
    for lei in leis:
        make.institution(lei, year=prepare.data_year(), quarterly_filer=lei == leis[1])
    facts = f"URL=http://here:8123\nYEAR={prepare.data_year()}\nLEI={leis[1]}\n"
    assert printed(tmp_path) == facts


def test_a_real_institution_is_not_offered_to_be_filed_for(tmp_path: Path) -> None:
    make.institution("529900EXAMPLELEI0001", year=prepare.data_year())
    with pytest.raises(CommandError, match="no made-up institution"):
        printed(tmp_path)


def test_a_service_that_does_not_answer_yet_is_not_named(tmp_path: Path) -> None:
    service = data_folder.RunningService(port=free_port(), public_url="http://here:8123")
    out = StringIO()
    with (
        data_folder.claim_data_folder(tmp_path, service),
        pytest.raises(CommandError, match="does not answer at"),
    ):
        call_command("running", stdout=out)
    assert out.getvalue() == ""


def test_where_no_service_runs_it_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=f"No service is running on {tmp_path}.*`make run`.*DATA_DIR"
    ):
        call_command("running", stdout=StringIO())

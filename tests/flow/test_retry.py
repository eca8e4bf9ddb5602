"""A submission that failed is retried, and real workers bring it to rest; its filer is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

pytestmark = pytest.mark.slow

FAILS_SECONDS = 180  # five attempts, with pauses between
ACT = """
from filing.submissions import interventions
from filing.access import Caller
from filing.models import Submission
of = Submission.objects.get(filing__institution__lei="{lei}")
print(interventions.{action}(of, by=Caller(id="1", username="olga"), reason="The disk was full."))
"""


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mails")


@pytest.fixture(scope="module")
def service(run_service, mails: Path) -> Iterator[Service]:
    """A service whose mails lie in a folder."""
    service = run_service(1, JOB_SWEEP_SECONDS="2", EMAIL_URL=f"filemail://{mails}")
    service.manage_all(["load_census", "2024", "--demo"], ["open_season", "2024", *service.always])
    yield service
    service.end()


def act(service: Service, lei: str, action: str) -> None:
    service.manage("shell", "-v", "0", "-c", ACT.format(lei=lei, action=action))


def wait_for(filer: Filer, code: int) -> None:
    until = time.monotonic() + FAILS_SECONDS
    while filer.state()["status"]["code"] != code:
        assert time.monotonic() < until, (filer.state(), filer.service_log())
        time.sleep(0.2)


def test_a_submission_whose_stage_failed_is_retried_and_comes_to_rest(service, mails):
    with Filer.of(service, "2024") as filer:
        assert filer.file(lar(filer, rows=200, fail=("Q611:3",)))["status"]["code"] == 11
        whole = service.data_dir / "files" / "submissions" / filer.lei / "2024" / "1"
        (raw,) = whole.glob("upload-*/raw.txt")
        away = raw.with_suffix(".away")
        raw.rename(away)
        raw.mkdir()  # there, and not to be read
        act(service, filer.lei, "run_edits_again")
        wait_for(filer, -1)
        raw.rmdir()
        away.rename(raw)
        act(service, filer.lei, "retry_stage")
        assert filer.rest()["status"]["code"] == 11
        assert filer.call("GET", "/submissions/1/edits/Q611").json()["total"] == 3
        assert service.history(filer.lei)[-9:] == [8, 11, 6, 7, -1, 6, 7, 8, 11]
        assert {path.name.split("-")[0] for path in whole.iterdir()} == {"edits", "parse", "upload"}
    until = time.monotonic() + 30
    while not any(mails.iterdir()):  # it is sent by a job of its own
        assert time.monotonic() < until
        time.sleep(0.1)
    (told,) = [path.read_text() for path in mails.iterdir()]
    assert "This is our fault" in " ".join(told.split())

"""A submission that failed is retried, and real workers bring it to rest; its filer is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.processes import wait_until

pytestmark = pytest.mark.slow

ACT = """
from filing.submissions import interventions
from filing.access import Caller
from filing.models import Submission
of = Submission.objects.get(filing__institution__lei="{lei}")
print(interventions.{action}(of, by=Caller(id="1", username="olga"), reason="The disk was full."))
"""


def act(service: Service, lei: str, action: str) -> None:
    service.shell(ACT.format(lei=lei, action=action))


def test_a_submission_whose_stage_failed_is_retried_and_comes_to_rest(service, mails):
    with Filer.of(service, "2024") as filer:
        assert filer.file(lar(filer, rows=200, fail=("Q611:3",)))["status"]["code"] == 11
        whole = service.data_dir / "files" / "submissions" / filer.lei / "2024" / "1"
        (raw,) = whole.glob("upload-*/raw.txt")
        away = raw.with_suffix(".away")
        raw.rename(away)
        raw.mkdir()  # there, and not to be read
        act(service, filer.lei, "run_edits_again")
        # Five attempts, with pauses between.
        wait_until(lambda: filer.state()["status"]["code"] == -1, "it is given up", seconds=180)
        raw.rmdir()
        away.rename(raw)
        act(service, filer.lei, "retry_stage")
        assert filer.rest()["status"]["code"] == 11
        assert filer.call("GET", "/submissions/1/edits/Q611").json()["total"] == 3
        assert service.history(filer.lei)[-9:] == [8, 11, 6, 7, -1, 6, 7, 8, 11]
        assert {path.name.split("-")[0] for path in whole.iterdir()} == {"edits", "parse", "upload"}
        wait_until(lambda: find_mails(mails, filer.lei), "the filer is told by a job of its own")
        (told,) = find_mails(mails, filer.lei)
        assert "This is our fault" in told


def find_mails(folder: Path, word: str) -> list[str]:
    """Return the texts of the emails in a folder that have a word."""
    texts = (" ".join(path.read_text().split()) for path in folder.iterdir())
    return [text for text in texts if word in text]

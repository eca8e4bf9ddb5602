"""Upload a made-up file to a submission."""

from __future__ import annotations

from functools import cache

from filing import submissions
from filing.access import Caller
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from filing.models import Job, Submission
from tests.conftest import LEI


def upload(submission: Submission, content: bytes, filer: Caller, tmp_path) -> Job:
    """Give the submission its file, as the upload endpoint does."""
    path = tmp_path / "received"
    path.write_bytes(content)
    with submissions.Reception(submission, by=filer).opened() as reception:
        received = submissions.ReceivedFile(path, "lar.txt", len(content), "0" * 64)
        reception.store(received)
    return Job.objects.get(submission=submission, stage="parse")


@cache
def register(*, rows: int = 60, **fails: int) -> bytes:
    recipe = LarRecipe(period=Period(2024), lei=LEI, rows=rows, tax_id="12-3456789", fails=fails)
    return b"".join(make_lar_file(recipe, demo_census.make_census_rows(2024)["census_tract"]))

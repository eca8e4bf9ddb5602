"""When a build is queued, and why one is not."""

from __future__ import annotations

import pytest

from databrowser.models import Version
from databrowser.publication.builds import build_requests, builder
from filing.errors import BadInput, NotReady
from filing.jobs import loop
from tests.at_once import call_at_once
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db

A = "549300AAAAAAAAAAAA01"


def test_a_year_without_anything_is_refused() -> None:
    with pytest.raises(NotReady, match="nothing to publish for 2023"):
        built()
    with pytest.raises(BadInput, match="years are 2018 to"):
        built(1999)
    sign(A, {})
    with pytest.raises(BadInput, match="Say why"):
        builder.build_year(2023, by=OLGA, reason=" ")
    build_requests.request_build(2023, by=OLGA, reason=WHY)
    with pytest.raises(NotReady, match="2023-1 is being built"):
        built()


@pytest.mark.servers
def test_years_with_new_signatures_are_built_by_the_clock() -> None:
    sign(A, {})
    sign(A, {}, year=2022)
    built(2022)
    assert build_requests.due_years() == [2023]
    (asked,) = build_requests.request_due_builds()
    assert (asked.year, asked.actor_username) == (2023, "")
    assert build_requests.request_due_builds() == []
    loop.run_job(asked.job_id)
    assert build_requests.due_years() == []
    sign(A, {"income": "5"}, year=2022)
    assert build_requests.due_years() == [2022]


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("earlier", [0, 1])
def test_of_requests_at_the_same_time_one_is_queued(earlier: int) -> None:
    sign(A, {})
    for _ in range(earlier):
        built()
    sign(A, {"income": "5"})

    def request() -> str:
        try:
            return build_requests.request_build(2023, by=OLGA, reason=WHY).name
        except NotReady as refusal:
            return refusal.message

    answers = call_at_once(request, 4)
    (version,) = Version.objects.filter(state=Version.State.ASKED)
    assert version.name == f"2023-{1 + earlier}"
    refusals = {
        f"Version {version.name} is being built (job: queued). Wait until the job is done.",
        "A build of 2023 was requested at the same time.",
    }
    assert sorted(answers)[0] == version.name
    assert {*answers} - {version.name} <= refusals

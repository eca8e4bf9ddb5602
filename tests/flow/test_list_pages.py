"""Pages of lists, annual and quarterly, through HTTP."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.flow.both_forms import FORMS, error, filer, reader  # noqa: F401 -- fixtures
from tests.flow.filer import Filer

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", ["", "/submissions", "/submissions/1/parseErrors",
                                  "/submissions/1/edits/Q631"])  # fmt: skip
def test_a_page_is_a_whole_number(filer, path):
    filer.begin()
    answer = filer.call("GET", f"{path}?page=two")
    assert error(answer, filer.path(path)) == (400, "The page 'two' is not a whole number.")


@dataclass(frozen=True)
class Links:
    """The links of a page as the contract derives them from its number and the last one."""

    page: int
    last: int

    def __eq__(self, other: object) -> bool:
        return other == {
            "self": f"?page={self.page}",
            "first": "?page=1",
            "prev": f"?page={1 if self.page < 2 else self.page - 1}",
            "next": f"?page={self.last if self.page >= self.last - 1 else self.page + 1}",
            "last": f"?page={self.last}",
        }


@pytest.mark.parametrize("asked", [1, 2, 3, 4, -1])
def test_pages_of_submissions_have_the_contracts_counts_and_links(service, asked):
    with Filer.of(service, "2024") as filer:
        filer.call("POST", "")
        for _ in range(43):
            assert filer.call("POST", "/submissions").status_code == 201
        body = filer.call("GET", f"/submissions?page={asked}").json()
    count = {1: 20, 2: 20, 3: 3}.get(asked, 0)
    assert (body["count"], body["total"], len(body["submissions"])) == (count, 43, count)
    href = body["_links"].pop("href")
    assert href == filer.path("/submissions") + "{rel}"
    assert Links(asked, 3) == body["_links"]
    numbers = [each["id"]["sequenceNumber"] for each in body["submissions"]]
    assert numbers == list(range(43, 0, -1))[(asked - 1) * 20 :][:count] or not count


def test_page_zero_of_a_filing_is_all_its_submissions_without_links(filer):
    filer.call("POST", "")
    for _ in range(23):
        filer.call("POST", "/submissions")
    body = filer.call("GET", "?page=0").json()
    assert set(body) == {"filing", "submissions"}
    assert len(body["submissions"]) == 23


def test_an_empty_list_has_page_zero_as_its_last(filer):
    filer.begin()
    body = filer.call("GET", "/submissions/1/parseErrors").json()
    assert (body["count"], body["total"]) == (0, 0)
    assert {k: v for k, v in body["_links"].items() if k != "href"} == {
        "self": "?page=1", "first": "?page=1", "prev": "?page=1",
        "next": "?page=0", "last": "?page=0",
    }  # fmt: skip

"""Pages and their links, as the contract derives them."""

import pytest

from filing.errors import BadInput
from filing.requests import ListPage, select_page


@pytest.mark.parametrize(
    ("number", "total", "count", "prev", "following", "last"),
    [
        (1, 54, 20, 1, 2, 3),
        (3, 54, 14, 2, 3, 3),
        (4, 54, 0, 3, 3, 3),
        (0, 54, 0, 1, 1, 3),
        (2, 40, 20, 1, 2, 2),
        (1, 0, 0, 1, 0, 0),
        (7, 0, 0, 6, 0, 0),
    ],
)
def test_links_and_count(number, total, count, prev, following, last):
    shown = ListPage(number=number, total=total, size=20)
    assert shown.count == count
    assert shown.links("/x") == {
        "href": "/x{rel}",
        "self": f"?page={number}",
        "first": "?page=1",
        "prev": f"?page={prev}",
        "next": f"?page={following}",
        "last": f"?page={last}",
    }


@pytest.mark.parametrize("asked", ["", "1.5", "²"])
def test_what_is_no_number_is_refused(asked):
    with pytest.raises(BadInput, match="not a whole number"):
        select_page(asked, 10)

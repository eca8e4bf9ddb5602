"""The front page's links are registered by the apps that have the pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from filing import registries
from filing.registries import AdminLink

WEIGH = AdminLink("Weigh a file", "admin:auth_group_add", ("auth.add_group",), "On the scales.")


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(registries, "ADMIN_LINKS", list(registries.ADMIN_LINKS))


def test_no_two_links_have_the_same_label_or_table() -> None:
    registries.register_admin_links(WEIGH)
    registries.register_admin_links(WEIGH)  # the same once more is no other
    assert registries.ADMIN_LINKS.count(WEIGH) == 1
    with pytest.raises(ValueError, match="another link named 'Weigh a file'"):
        registries.register_admin_links(replace(WEIGH, about="Elsewhere."))
    with pytest.raises(ValueError, match=r"already the link of graphs\.Computation"):
        registries.register_admin_links(
            replace(WEIGH, label="Weigh graphs", table="graphs.Computation")
        )

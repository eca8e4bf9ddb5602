"""Each figure answers, with as many cells as columns; figures of work, by hand."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import User

from filing.access import SERVICE
from filing.errors import BadInput
from filing.figures import answer_figure, list_figures
from filing.models import Membership
from filing.people import memberships
from tests.filing.figures.conftest import LEIS
from tests.filing.figures.season import Season

pytestmark = pytest.mark.django_db


@pytest.mark.servers
def test_who_lost_the_right_to_file_is_no_contact(season: Season) -> None:
    lei = LEIS[7]
    for name in ("ann", "bob", "eve"):
        user = User.objects.create(username=name, email=f"{name}@bank.example")
        Membership.objects.create(user=user, lei=lei)
    ended, reads, _ = Membership.objects.order_by("pk")
    memberships.end_right(ended, by=SERVICE, reason="Left the bank.")
    Membership.objects.filter(pk=reads.pk).update(is_preparer=False, is_signer=False)
    rows = {row[1]: row[3] for row in answer_figure("not_filed", period="2024").rows}
    assert rows[lei] == "eve@bank.example"


def test_every_figure_answers_on_the_first_day_and_refuses_one_before(season: Season) -> None:
    for figure in list_figures():
        if figure.is_live:
            continue
        values = {parameter.name: str(parameter.most) for parameter in figure.parameters}
        parameters = {"lei": LEIS[0]} if "lei" in values else values
        for day in (date(2000, 1, 1), date(2024, 3, 10), date(2024, 11, 3)):
            answer_figure(figure.name, period="2024", as_of=day, parameters=parameters)
        for day in (date.min, date(1999, 12, 31)):
            with pytest.raises(BadInput):
                answer_figure(figure.name, period="2024", as_of=day, parameters=parameters)

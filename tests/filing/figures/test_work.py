"""Each figure answers, with as many cells as columns; figures of work, by hand."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import User

from filing.access import SERVICE
from filing.errors import BadInput
from filing.figures import answer_figure, list_figures
from filing.models import DutyRelease, InstitutionEvent, Membership
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


def test_quarters_that_an_institution_does_not_owe_are_blank(season: Season) -> None:
    """As after a merger in May: the first quarter was filed, and the rest is not due."""
    filed_one, none_filed, owing = LEIS[3], LEIS[5], LEIS[0]
    for lei in (filed_one, none_filed):
        event = InstitutionEvent.objects.create(
            lei=lei, kind="merger", effective_on=date(2024, 5, 1), reason="Letter."
        )
        first_day = date(2024, 4, 1) if lei == filed_one else date(2024, 1, 1)
        DutyRelease.objects.create(event=event, lei=lei, is_quarterly=True, first_day=first_day)
    rows = {row[1]: row[2:5] for row in answer_figure("quarterly_filers", period="2024").rows}
    assert rows == {owing: [True, True, False], filed_one: [True, None, None]}
    InstitutionEvent.objects.filter(lei=none_filed).update(undone_at=event.at)
    rows = {row[1]: row[2:5] for row in answer_figure("quarterly_filers", period="2024").rows}
    assert rows[none_filed] == [False, False, False]


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

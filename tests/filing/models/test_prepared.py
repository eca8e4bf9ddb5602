"""Queries that are compiled once give what the same queries give otherwise."""

from __future__ import annotations

from datetime import UTC, date, datetime
from threading import Thread
from typing import Any

import pytest
from django.db import connection, models
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.models.database import Parameter, PreparedQuery

pytestmark = pytest.mark.servers

SIGNED_AT = datetime(2025, 2, 3, 4, 5, 6, 789, UTC)
NUMBER = Parameter("number", models.IntegerField())


def of_number(number: Any) -> QuerySet[Submission]:
    related = Submission.objects.select_related("filing__institution", "signature")
    return related.filter(filing__institution__lei="A" * 20, sequence_number=number)


@pytest.fixture
def submissions(db: None) -> None:
    institution = Institution.objects.create(
        lei="A" * 20, activity_year=2024, agency=9, name="One", email_domains=["one.example"]
    )
    period = FilingPeriod.objects.create(
        year=2024, opens=date(2025, 1, 1), timely_until=date(2025, 3, 3), closes=date(2025, 12, 31)
    )
    filing = Filing.objects.create(institution=institution, period=period)
    sheet = {"lei": "A" * 20, "total": 3}
    signed = Submission.objects.create(filing=filing, sequence_number=1, transmittal_sheet=sheet)
    Submission.objects.create(filing=filing, sequence_number=2)
    Signature.objects.create(submission=signed, receipt="R-1", signed_at=SIGNED_AT, signer_id="s")


@pytest.mark.usefixtures("submissions")
def test_objects_come_whole_with_their_related_ones_in_one_query() -> None:
    query = PreparedQuery(lambda: of_number(NUMBER))
    for number in (1, 2):
        plain = of_number(number).get()
        with CaptureQueriesContext(connection) as queries:
            (read,) = query.rows(number=number)
            assert read.filing.institution.email_domains == ["one.example"]
            assert hasattr(read, "signature") == (number == 1)
            if number == 1:
                assert read.signature.signed_at == SIGNED_AT
        assert len(queries) == 1
        for name in (field.attname for field in Submission._meta.concrete_fields):
            assert getattr(read, name) == getattr(plain, name), name


@pytest.mark.usefixtures("submissions")
def test_text_is_data_whatever_it_holds() -> None:
    name = Parameter("name", models.CharField())
    query = PreparedQuery(lambda: Institution.objects.filter(name=name))
    assert len(query.rows(name="One")) == 1
    for text in ("' OR '1'='1", "%s", "One%", '"One"'):
        assert query.rows(name=text) == []


@pytest.mark.django_db(transaction=True)
def test_threads_share_it(submissions: None) -> None:
    query = PreparedQuery(lambda: of_number(NUMBER))
    read: list[int] = []

    def call() -> None:
        try:
            for _ in range(20):
                read.extend(row.sequence_number for row in query.rows(number=1))
        finally:
            connection.close()

    threads = [Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [1] * 80


@pytest.mark.usefixtures("submissions")
def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="number"):
        PreparedQuery(lambda: of_number(NUMBER)).rows()

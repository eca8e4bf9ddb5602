"""What a person types is checked as an import is, and what filings hang on stays."""

from datetime import date

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from filing.models import Filing, FilingPeriod, Institution, Membership
from tests.filing.admin.change_forms import loaded
from tests.filing.admin.institution_form import TYPED, typed

pytestmark = pytest.mark.django_db


def test_an_institution_is_added(admin_client):
    answer = admin_client.post(reverse("admin:filing_institution_add"), TYPED)
    assert answer.status_code == 302
    found = Institution.objects.get()
    assert (found.lei, found.activity_year) == ("529900OTHERBANK00017", 2025)
    assert found.email_domains == ["other.example", "loans.other.example"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lei": "short"}, "&#x27;short&#x27; is not an LEI"),
        ({"tax_id": "1"}, "&#x27;1&#x27; is not a TIN"),
        ({"email_domains": "gmail.com"}, "is a public email domain"),
        ({"agency": "4"}, "4 is not one of the available choices"),
    ],
)
def test_an_institution_with_a_mistake_is_refused(admin_client, changes, message):
    answer = admin_client.post(reverse("admin:filing_institution_add"), TYPED | changes)
    assert message in answer.content.decode()
    assert not Institution.objects.exists()


def test_an_institution_keeps_its_lei_year_and_what_signing_set(admin_client, institution):
    Institution.objects.update(hmda_filer=True)
    page = reverse("admin:filing_institution_change", args=[institution.pk])
    assert "bank.example" in admin_client.get(page).content.decode()
    answer = admin_client.post(
        page, typed(institution, name="New Bank") | loaded(admin_client, page)
    )
    assert answer.status_code == 302
    found = Institution.objects.get()
    assert (found.lei, found.activity_year) == (institution.lei, 2024)
    assert (found.name, found.hmda_filer, found.quarterly_filer) == ("New Bank", True, False)


def test_a_period_stays_what_it_is_when_its_window_is_extended(admin_client, open_period):
    page = reverse("admin:filing_filingperiod_change", args=[open_period.pk])
    days = {"opens": "2025-01-01", "timely_until": "2025-03-01", "closes": "2025-03-08"}
    sent = {"year": "2020", "quarter": "Q1", "reason": "A storm.", **days}
    sent |= loaded(admin_client, page)
    assert admin_client.post(page, sent).status_code == 302
    found = FilingPeriod.objects.get()
    assert (found.year, found.quarter, found.closes) == (2024, "", date(2025, 3, 8))


def test_a_filing_is_added_for_an_institution_and_a_period(admin_client, institution, open_period):
    answer = admin_client.post(
        reverse("admin:filing_filing_add"),
        {
            "institution": institution.pk,
            "period": open_period.pk,
            "required": "on",
            "reason": "It was forgotten.",
            "submissions-TOTAL_FORMS": "0",
            "submissions-INITIAL_FORMS": "0",
        },
    )
    assert answer.status_code == 302
    assert str(Filing.objects.get()) == f"{institution.lei}-2024"


@pytest.mark.parametrize(
    ("model", "asked", "found"),
    [("institution", "Test B", "Test Bank"), ("filingperiod", "2024", "2024")],
)
def test_institution_and_period_of_a_filing_are_looked_up(
    admin_client, institution, open_period, model, asked, found
):
    field = {"institution": "institution", "filingperiod": "period"}[model]
    answer = admin_client.get(
        reverse("admin:autocomplete"),
        {"app_label": "filing", "model_name": "filing", "field_name": field, "term": asked},
    )
    assert [each["text"].startswith(found) for each in answer.json()["results"]] == [True]


@pytest.mark.servers
def test_a_membership_needs_the_shape_of_an_lei(admin_client):
    user = User.objects.create(username="ann")
    page = reverse("admin:filing_membership_add")
    refused = admin_client.post(page, {"user": user.pk, "lei": "short"})
    assert "is not an LEI" in refused.content.decode()
    typed = {"user": user.pk, "lei": TYPED["lei"], "reason": "They called."}
    assert admin_client.post(page, typed).status_code == 302
    assert Membership.objects.get().lei == TYPED["lei"]

"""What a person types is checked as an import is, and what filings hang on stays."""

import pytest
from django.urls import reverse

from filing.models import Filing, Institution
from tests.filing.admin.institution_form import TYPED

pytestmark = pytest.mark.django_db


def test_an_institution_with_a_mistake_is_refused(admin_client):
    for changes, message in [
        ({"lei": "short"}, "&#x27;short&#x27; is not an LEI"),
        ({"tax_id": "1"}, "&#x27;1&#x27; is not a TIN"),
        ({"email_domains": "gmail.com"}, "is a public email domain"),
        ({"agency": "4"}, "4 is not one of the available choices"),
    ]:
        answer = admin_client.post(reverse("admin:filing_institution_add"), TYPED | changes)
        assert message in answer.content.decode()
        assert not Institution.objects.exists()


def test_a_filing_is_added_for_an_institution_and_a_period(admin_client, institution, open_period):
    page = reverse("admin:filing_filing_add")
    assert "Not started" not in admin_client.get(page).text
    answer = admin_client.post(
        page,
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

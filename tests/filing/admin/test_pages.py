"""Every admin page answers, and its number of queries does not grow with its rows."""

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.urls import reverse

from databrowser.models import ModifiedLar
from filing.models import (
    Announcement,
    EditResult,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    Job,
    Mail,
    Membership,
    Note,
    PanelImport,
    PersonalToken,
    ReferenceData,
    SeasonOpening,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    WithdrawnEdit,
)
from ratespread.models import AporLoad, AporTable, AporWeek
from tests.filing.admin.queries import MOST_QUERIES, add_filer, queries_of

pytestmark = pytest.mark.django_db
READ_ONLY = [
    AporTable,
    AporWeek,
    EditResult,
    Job,
    LogEntry,
    Mail,
    ModifiedLar,
    Note,
    PanelImport,
    PersonalToken,
    ReferenceData,
    SeasonOpening,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
]
MODELS = [
    *READ_ONLY,
    AporLoad,
    Announcement,
    Filing,
    FilingPeriod,
    FilingYear,
    Group,
    Institution,
    Membership,
    User,
    WithdrawnEdit,
]


@pytest.fixture
def submission(open_period) -> Submission:
    ReferenceData.objects.create(
        kind="census", year=2024, source="census.txt", rows=1, sha256="0" * 64, path="test"
    )
    WithdrawnEdit.objects.create(
        filing_year=FilingYear.objects.get(pk=2024), code="Q600", since="2024-01-01", reason="It."
    )
    return add_filer(1)


def address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=arguments)


def test_a_list_takes_as_many_queries_for_many_rows_as_for_one(admin_client, submission):
    pages = [address(model, "changelist") for model in MODELS]
    one = {page: queries_of(admin_client, page) for page in pages}
    for number in range(2, 5):
        add_filer(number)
    for page in pages:
        assert queries_of(admin_client, page) <= min(one[page], MOST_QUERIES), page


@pytest.mark.servers
def test_a_list_can_be_searched_and_a_page_shows_its_object(admin_client, submission):
    for model in MODELS:
        page = address(model, "change", model.objects.latest("pk").pk)
        for shown in (page, address(model, "changelist") + "?q=x"):
            assert queries_of(admin_client, shown) <= MOST_QUERIES, shown


def test_what_the_service_writes_cannot_be_added_changed_or_deleted(admin_client, submission):
    for model in READ_ONLY:
        found = model.objects.latest("pk")
        assert admin_client.get(address(model, "add")).status_code == 403
        assert admin_client.post(address(model, "change", found.pk), {}).status_code == 403
        assert admin_client.post(address(model, "delete", found.pk), {}).status_code == 403


def test_a_submission_is_found_by_what_a_caller_has_at_hand(admin_client, submission, open_period):
    second = add_filer(2)
    for asked in [
        "529900TESTBANK000002",
        "529900TESTBANK000002-2024-1-1741000999000",
        "Bank 2",
        "12-0000002",
        "loans_2.txt",
        f"{2:064d}",
    ]:
        answer = admin_client.get(address(Submission, "changelist"), {"q": asked})
        assert list(answer.context["cl"].queryset) == [second]

"""What a text is taken for, and what it finds."""

from __future__ import annotations

import pytest
from django.db.models import Q

from filing import submissions
from filing.access import Caller
from filing.admin import search
from filing.admin.search import SearchTerm, TermShape, recognize_term
from filing.lar.years import Period
from filing.models import Filing, StatusChange, Submission
from filing.statuses import Event
from tests import make
from tests.conftest import LEI

SHA = "0a" * 32
RECEIPT = f"{LEI}-2024-Q1-3-1741000999000"


@pytest.mark.parametrize(
    ("typed", "taken_for"),
    [
        ("", SearchTerm(TermShape.NOTHING, "")),
        (LEI, SearchTerm(TermShape.LEI, LEI)),
        (f"  {LEI.lower()} ", SearchTerm(TermShape.LEI, LEI)),
        (f"{LEI}ABC0000012345678", SearchTerm(TermShape.LEI, LEI)),  # a ULI
        (f"ULI: {LEI}ABC0000012345678.", SearchTerm(TermShape.LEI, LEI)),
        (f"{LEI}-2024-Q2", SearchTerm(TermShape.FILING, LEI, Period(2024, 2))),
        (f"{LEI}-2024-17", SearchTerm(TermShape.SUBMISSION, LEI, Period(2024), 17)),
        (f"{LEI.lower()}-2024-q2-1", SearchTerm(TermShape.SUBMISSION, LEI, Period(2024, 2), 1)),
        (f"{LEI}-2024-Q4-1", SearchTerm(TermShape.LEI, LEI)),  # there is no such quarter
        (RECEIPT, SearchTerm(TermShape.RECEIPT, RECEIPT)),
        (SHA, SearchTerm(TermShape.SHA256, SHA)),
        ("123456789", SearchTerm(TermShape.TAX_ID, "12-3456789")),
        ("Ann@Bank.Example", SearchTerm(TermShape.ADDRESS, "ann@bank.example")),
        ("@bank.example", SearchTerm(TermShape.DOMAIN, "bank.example")),
        ("<ann@bank.example>", SearchTerm(TermShape.ADDRESS, "ann@bank.example")),
        ("2001:db8::7", SearchTerm(TermShape.NETWORK, "2001:db8::7")),
        (f"{LEI}_2024.txt", SearchTerm(TermShape.FILE, f"{LEI}_2024.txt")),
        ("first home bank", SearchTerm(TermShape.TEXT, "first home bank")),
        ("%_'\\", SearchTerm(TermShape.TEXT, "%_'\\".strip("'"))),
    ],
)
def test_a_text_is_known_by_its_shape(typed, taken_for):
    assert recognize_term(typed) == taken_for


@pytest.fixture
def other(open_period, institution) -> Filing:
    """A filing of another institution, which is on file for another year as well."""
    facts = {"lei": "529900OTHERBANK00017", "name": "Second Home 100% Lending", "agency": 7}
    make.institution(year=2023, tax_id="", email_domains=["gmail.com"], **facts)
    make.institution(tax_id="98-7654321", email_domains=["mail.home.example"], **facts)
    return make.filing(facts["lei"])


@pytest.fixture
def bob() -> Caller:
    return Caller(id="user-2", username="bob", email="Bob@Vendor.Example")


@pytest.fixture
def uploaded(other: Filing, bob: Caller) -> Submission:
    """The other institution's, uploaded by somebody of a vendor."""
    found = make.begun(other, by=bob)
    submissions.move_submission(found, Event.UPLOAD_STARTED, by=bob)
    return make.change(found, file_name="Loans 2024_final.TXT", sha256=SHA)


@pytest.fixture
def signed(submission: Submission) -> Submission:
    """The first institution's, signed by an outsider."""
    receipt = f"{LEI}-2024-1-1741000999000"
    signer = {"signer_id": "1", "signer_email": "officer@counsel.example"}
    make.signed(submission, receipt=receipt, sha256="f" * 64, **signer)
    return submission


def test_a_submission_is_found_by_its_shapes_alone(signed, uploaded):
    wanted = {"signed": {signed}, "uploaded": {uploaded}, "both": {signed, uploaded}}
    for typed, finds in [
        ("", "both"),
        (LEI, "signed"),
        ("529900otherbank00017", "uploaded"),
        (f"{LEI}-2024", "signed"),
        (f"{LEI}-2024-9999999999", "none"),
        (f"{LEI}-2023-1", "none"),
        (f"{LEI}-2024-1-1741000999000", "signed"),
        (f"{LEI}-2024-1-1741000999001", "none"),
        (SHA, "uploaded"),
        ("98-7654321", "uploaded"),
        ("98-76", "uploaded"),
        ("HOME lending", "uploaded"),
        ("100%", "uploaded"),
        ("%", "uploaded"),
        ("loans 2024", "uploaded"),
        ("bob@vendor.example", "uploaded"),
        ("@vendor.example", "uploaded"),
        ("ann@bank.example", "signed"),  # who made it
        ("zoe@bank.example", "signed"),  # of the institution
        ("OFFICER@counsel.example", "signed"),
        ("@counsel.example", "signed"),
        ("@mail.home.example", "uploaded"),
        ("@home.example", "none"),
        ("zoe@gmail.com", "none"),  # anybody may have an address there
    ]:
        asked = recognize_term(typed)
        found = list(Submission.objects.filter(search.match_submissions(asked)))
        assert set(found) == wanted.get(finds, set())
        assert len(found) == len(set(found))


@pytest.mark.servers
def test_a_filing_is_found_by_what_finds_its_institution(signed, uploaded):
    wanted = {"signed": {signed.filing}, "uploaded": {uploaded.filing}}
    for typed, finds in [
        (LEI, "signed"),
        (f"{LEI}-2024-Q1", "none"),
        (f"{LEI}-2024-1-1741000999000", "signed"),
        (SHA, "uploaded"),
        ("98-7654321", "uploaded"),
        ("zoe@mail.home.example", "uploaded"),
        ("second", "uploaded"),
    ]:
        asked = recognize_term(typed)
        found = set(Filing.objects.filter(search.match_filings(asked)))
        assert found == wanted.get(finds, set())


@pytest.mark.servers
@pytest.mark.parametrize("many", [0, 300])
def test_a_word_finds_the_same_where_it_is_everywhere(signed, uploaded, monkeypatch, many):
    monkeypatch.setattr(search, "MANY", many)
    for typed, finds in (("home", uploaded), ("test bank", signed)):
        asked = recognize_term(typed)
        assert list(Submission.objects.filter(search.match_submissions(asked))) == [finds]
        condition = search.match_rows(StatusChange, asked, Q(actor_username="nobody"))
        assert set(StatusChange.objects.filter(condition)) == set(finds.changes.all())
    condition = search.match_rows(StatusChange, recognize_term("bob"), Q(actor_username="bob"))
    assert set(StatusChange.objects.filter(condition)) == set(uploaded.changes.all())

"""What a text is taken for, and what it finds."""

from __future__ import annotations

import pytest
from django.db.models import Q

from filing import submissions
from filing.access import Caller
from filing.admin import search
from filing.admin.search import SearchTerm, TermShape, recognize_term
from filing.lar.years import Period
from filing.models import Filing, Institution, StatusChange, Submission
from filing.statuses import Event
from tests import make
from tests.conftest import LEI

SHA = "0a" * 32
RECEIPT = f"{LEI}-2024-Q1-3-1741000999000"


@pytest.mark.parametrize(
    ("typed", "taken_for"),
    [
        ("", SearchTerm(TermShape.NOTHING, "")),
        ("   ", SearchTerm(TermShape.NOTHING, "")),
        (LEI, SearchTerm(TermShape.LEI, LEI)),
        (f"  {LEI.lower()} ", SearchTerm(TermShape.LEI, LEI)),
        (f"'{LEI}'", SearchTerm(TermShape.LEI, LEI)),
        (f"{LEI}ABC0000012345678", SearchTerm(TermShape.LEI, LEI)),  # a ULI
        (f"ULI: {LEI}ABC0000012345678.", SearchTerm(TermShape.LEI, LEI)),
        (f"about {LEI}, please", SearchTerm(TermShape.LEI, LEI)),
        (f"{LEI}-2024", SearchTerm(TermShape.FILING, LEI, Period(2024))),
        (f"{LEI}-2024-Q2", SearchTerm(TermShape.FILING, LEI, Period(2024, 2))),
        (f"{LEI}-2024-17", SearchTerm(TermShape.SUBMISSION, LEI, Period(2024), 17)),
        (f"{LEI.lower()}-2024-q2-1", SearchTerm(TermShape.SUBMISSION, LEI, Period(2024, 2), 1)),
        (f"{LEI}-2024-Q4-1", SearchTerm(TermShape.LEI, LEI)),  # there is no such quarter
        (RECEIPT, SearchTerm(TermShape.RECEIPT, RECEIPT)),
        (SHA, SearchTerm(TermShape.SHA256, SHA)),
        (SHA.upper(), SearchTerm(TermShape.SHA256, SHA)),
        ("12-3456789", SearchTerm(TermShape.TAX_ID, "12-3456789")),
        ("123456789", SearchTerm(TermShape.TAX_ID, "12-3456789")),
        ("Ann@Bank.Example", SearchTerm(TermShape.ADDRESS, "ann@bank.example")),
        ("@bank.example", SearchTerm(TermShape.DOMAIN, "bank.example")),
        ("<ann@bank.example>", SearchTerm(TermShape.ADDRESS, "ann@bank.example")),
        ("198.51.100.7", SearchTerm(TermShape.NETWORK, "198.51.100.7")),
        ("2001:db8::7", SearchTerm(TermShape.NETWORK, "2001:db8::7")),
        (f"{LEI}_2024.txt", SearchTerm(TermShape.FILE, f"{LEI}_2024.txt")),
        ("first home bank", SearchTerm(TermShape.TEXT, "first home bank")),
        ("INTERNATIONALSAVINGSBANK", SearchTerm(TermShape.TEXT, "INTERNATIONALSAVINGSBANK")),
        ("12-34", SearchTerm(TermShape.TEXT, "12-34")),
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


@pytest.mark.parametrize(
    ("typed", "finds"),
    [
        ("", "both"),
        (LEI, "signed"),
        pytest.param("529900otherbank00017", "uploaded", marks=pytest.mark.servers),
        (f"{LEI}0123456789012345", "signed"),
        (f"{LEI}-2024", "signed"),
        (f"{LEI}-2024-1", "signed"),
        (f"{LEI}-2024-2", "none"),
        pytest.param(f"{LEI}-2024-9999999999", "none", marks=pytest.mark.servers),
        (f"{LEI}-2023-1", "none"),
        (f"{LEI}-2024-1-1741000999000", "signed"),
        (f"{LEI}-2024-1-1741000999001", "none"),
        (SHA, "uploaded"),
        ("b" * 64, "none"),
        ("98-7654321", "uploaded"),
        ("987654321", "uploaded"),
        pytest.param("98-76", "uploaded", marks=pytest.mark.servers),
        ("529900OTHER", "uploaded"),
        ("HOME lending", "uploaded"),
        ("home savings", "none"),
        ("test", "signed"),
        ("100%", "uploaded"),
        ("%", "uploaded"),
        ("_final", "uploaded"),
        ("loans 2024", "uploaded"),
        ("final.txt", "uploaded"),
        ("2024_final.txt", "uploaded"),
        ("bob@vendor.example", "uploaded"),
        ("@vendor.example", "uploaded"),
        ("ann@bank.example", "signed"),  # who made it
        ("zoe@bank.example", "signed"),  # of the institution
        ("OFFICER@counsel.example", "signed"),
        ("clerk@counsel.example", "none"),
        ("@counsel.example", "signed"),
        ("@mail.home.example", "uploaded"),
        ("mail.home.example", "uploaded"),
        ("@home.example", "none"),
        ("zoe@gmail.com", "none"),  # anybody may have an address there
        ("198.51.100.7", "none"),
        ("nothing like it", "none"),
    ],
)
def test_a_submission_is_found_by_its_shapes_alone(signed, uploaded, typed, finds):
    wanted = {"signed": {signed}, "uploaded": {uploaded}, "both": {signed, uploaded}}
    asked = recognize_term(typed)
    found = list(Submission.objects.filter(search.match_submissions(asked)))
    assert set(found) == wanted.get(finds, set())
    assert len(found) == len(set(found))


@pytest.mark.servers
@pytest.mark.parametrize(
    ("typed", "finds"),
    [
        (LEI, "signed"),
        (f"{LEI}-2024-7", "signed"),
        (f"{LEI}-2024-Q1", "none"),
        (f"{LEI}-2024-1-1741000999000", "signed"),
        (SHA, "uploaded"),
        ("98-7654321", "uploaded"),
        ("zoe@mail.home.example", "uploaded"),
        ("second", "uploaded"),
    ],
)
def test_a_filing_is_found_by_what_finds_its_institution(signed, uploaded, typed, finds):
    wanted = {"signed": {signed.filing}, "uploaded": {uploaded.filing}}
    asked = recognize_term(typed)
    found = set(Filing.objects.filter(search.match_filings(asked)))
    assert found == wanted.get(finds, set())


@pytest.mark.servers
def test_an_institution_is_found_in_every_year_it_is_on_file(signed, other):
    asked = recognize_term(f"{other.institution.lei}-2024-1")
    found = Institution.objects.filter(search.match_institutions(asked))
    assert sorted(found.values_list("activity_year", flat=True)) == [2023, 2024]


@pytest.mark.servers
def test_what_hangs_on_a_submission_is_found_with_it(signed, uploaded):
    asked = recognize_term("98-7654321")
    found = StatusChange.objects.filter(search.match_rows(StatusChange, asked))
    assert set(found) == set(uploaded.changes.all())


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

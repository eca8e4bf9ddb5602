"""The receipt on paper: a tagged PDF with the facts of the page."""

from __future__ import annotations

import unicodedata
from io import BytesIO

import pytest
from django.utils import timezone
from pypdf import PdfReader

from filing.access import SERVICE
from filing.models import EditResult, ReferenceData, Signature, Submission
from filing.pages.receipts import list_receipt_facts
from filing.receipts import checking, printing
from filing.receipts.documents import ReceiptFact
from filing.submissions import interventions, receipt_description
from tests.filing.pages.steps import FILING, prepare, sign, text
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]


@pytest.fixture
def address(browser) -> str:
    address = prepare(browser, register())
    assert sign(browser, address).status_code == 303
    return address


def read_pdf(answer) -> PdfReader:
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    return PdfReader(BytesIO(answer.content))


def flatten(texts: str) -> str:
    return "".join(texts.split())


def test_the_pdf_has_the_facts_of_the_page_and_is_always_the_same(browser, address):
    answer = browser.get(f"{address}receipt/", {"format": "pdf"})
    signature = Signature.objects.get()
    name = f'attachment; filename="receipt-{signature.submission}.pdf"'
    assert answer["Content-Disposition"] == name
    assert browser.get(f"{address}receipt/", {"format": "pdf"}).content == answer.content
    printed = flatten("".join(page.extract_text() for page in read_pdf(answer).pages))
    page = text(browser.get(f"{address}receipt/"))
    facts = list_receipt_facts(signature)
    values = [fact.value for fact in [*facts.main, *facts.file, *facts.proof]]
    assert signature.receipt in values
    assert signature.sha256 in values
    for value in values:
        assert value in page
        assert flatten(value) in printed


def test_the_pdf_is_tagged_and_declares_pdf_ua(browser, address):
    reader = read_pdf(browser.get(f"{address}receipt/", {"format": "pdf"}))
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en-US"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader.metadata is not None
    assert reader.metadata.title == f"HMDA filing receipt, {Submission.objects.get().period}"
    assert "<pdfuaid:part>1</pdfuaid:part>" in root["/Metadata"].get_data().decode()
    kinds = list_structure(root["/StructTreeRoot"])
    assert {"/H1", "/H2", "/Table", "/THead", "/TH", "/TBody", "/TD"} <= kinds


def list_structure(node) -> set[str]:
    """Return the kinds of elements in the structure of a document."""
    kinds, waiting = set(), [node]
    while waiting:
        element = waiting.pop().get_object()
        if isinstance(element, list):
            waiting += element
        elif isinstance(element, dict):
            kinds.add(element.get("/S"))
            waiting += [element["/K"]] if "/K" in element else []
    return kinds


def test_there_is_no_pdf_before_the_signature(browser):
    address = prepare(browser, register())
    assert browser.get(f"{address}receipt/", {"format": "pdf"}).status_code == 404


def print_value(value: str) -> str:
    written = printing.write_receipt_pdf(
        [ReceiptFact("Signed by", value)],
        title="Receipt",
        summary="Filed",
        note="Keep it.",
        issuer="Us",
        at=timezone.now(),
    )
    return "".join(page.extract_text() for page in PdfReader(BytesIO(written)).pages)


def test_every_character_that_is_not_replaced_has_a_glyph():
    kept = [
        chr(code)
        for code in range(0x10000)
        if printing._printable(chr(code)) == chr(code) and unicodedata.category(chr(code)) != "Cn"
    ]
    assert len(kept) > 1000
    print_value(" ".join(kept))  # raises for a character without a glyph


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Ánna Ποππ Иванова", "Ánna Ποππ Иванова"),
        ("银\U0001f600", "[U+94F6][U+1F600]"),
        ('#panic("x") *a* $1', '#panic("x") *a* $1'),
        ("a\x07b", "a[U+0007]b"),
    ],
)
def test_a_name_is_printed_as_it_is_or_its_characters_are_named(value, words):
    assert flatten(words) in flatten(print_value(value))


@pytest.mark.servers
def test_reasons_of_edits_are_shown_before_the_signature(browser):
    address = prepare(browser, register(Q611=3))
    browser.post(f"{address}edits/Q611/", {"reviewed": "true", "reason": "Seen in the files."})
    browser.post(f"{address}verify/all/", {"verified": "true"})
    assert "Q611: Seen in the files. (ann)" in text(browser.get(f"{address}sign/"))


@pytest.fixture
def replaced(browser) -> Signature:
    """A receipt of a file that was not checked completely, and that another one replaced."""
    address = prepare(browser, register())
    submission = Submission.objects.get()
    EditResult.objects.create(
        submission=submission, code="V628-9", kind="validity", level="lar", total=0,
        not_run="staff withdrew it",
    )  # fmt: skip
    ReferenceData.objects.create(
        kind="census", year=2021, source="x", rows=1, path="census/2021", active=False
    )
    Submission.objects.update(census_run="census/2021")
    assert sign(browser, address).status_code == 303
    assert sign(browser, prepare(browser, register(rows=70)), reason="More.").status_code == 303
    return Signature.objects.get(submission=submission)


def read_receipt(browser, signature: Signature, where: str) -> str:
    """Return what is read of a receipt in one of its five forms."""
    address = f"{FILING}{signature.submission.sequence_number}/receipt/"
    check = f"/v2/public/receipts/{signature.receipt}"
    if where == "page":
        return text(browser.get(address))
    if where == "PDF":
        return " ".join(
            page.extract_text() for page in read_pdf(browser.get(address, {"format": "pdf"})).pages
        )
    if where == "email":
        interventions.send_receipt_again(signature.submission, by=SERVICE, reason="It was lost.")
        return signature.submission.mails.filter(kind="receipt").latest("pk").text
    if where == "public page":
        return text(browser.post("/receipts/check/", {"receipt": signature.receipt}))
    return browser.get(check).content.decode()


def test_a_receipt_says_everywhere_what_replaced_it_and_what_was_not_run(browser, replaced):
    later = Signature.objects.exclude(pk=replaced.pk).get()
    for where in ("page", "PDF", "email", "public page", "public check"):
        words = flatten(read_receipt(browser, replaced, where))
        for fact in (later.receipt, "V628-9", "staffwithdrewit", "2021"):
            assert fact in words, where
        assert "Yourfilingiscomplete" not in words
    claims = checking.verify_own_proof(replaced.signed_receipt.jws)
    assert claims["censusStandIn"] == 2021
    assert claims["editsNotRun"] == [{"reason": "staff withdrew it", "edits": ["V628-9"]}]
    replaced.submission.edit_results.all().delete()
    description = receipt_description.describe_receipt(replaced)
    assert description.unrun == [("staff withdrew it", ["V628-9"])]

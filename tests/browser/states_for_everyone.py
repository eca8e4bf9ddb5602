"""The pages and states that one comes to without an account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page

from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.years import RULEBOOKS, Period
from tests.browser.conftest import PASSWORD
from tests.browser.page_states import (
    ERRORS,
    State,
    Step,
    at,
    bring,
    click,
    enter,
    follow,
    open_all,
    press,
    remove,
    see,
    set_field,
    with_pictures,
)
from tests.publicapi.lar_tool.calls import as_workbook

LEI, YEAR = "529900EXAMPLELEI0001", Period(2024)
LOAN = examples.correct_loan(YEAR, LEI)
LOANS = [LOAN | {"uli": examples.numbered_uli(LEI, number)} for number in range(10)]
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, len(LOANS))
LINES = [examples.write_record_line(each) for each in (SHEET, *LOANS)]
WRONG_LINE = examples.write_record_line(LOAN | {"loan_type": 9, "street": "x" * 300})
UTF_16 = "1|Bank".encode("utf-16")
CHECK_DIGIT, LOAN_ID = reverse("check-digit"), "10Bx939c5543TqA1144M999143X"
RATE_SPREAD, CHECK_FILE = reverse("rate-spread"), reverse("check-file")
CHECK_LINE, EDIT_BOOK = reverse("check-line"), reverse("edit-book")
LOGIN, BROWSER = reverse("identity:login"), reverse("data-browser")
SQL = f"{reverse('data-sql')}?version=2022-1"
ASKED = f"{BROWSER}?years=2021,2022&states=TX&races=Asian,White&sexes=Male,Female"
GRAPH, RECEIPT = reverse("graph", args=["credit-scores"]), reverse("check-receipt")
ANSWERS = "#answer-heading, #answer"

LIGHT_PAGES = (
    *("accessibility", "privacy", "home", "help", "guides", "api-guide", "open-case"),
    *("identity:login", "check-digit", "rate-spread", "session"),
    *("sign-up", "sign-up-sent", "forgotten", "forgotten-sent"),
    *("check-line", "am-i-covered", "check-file", "lar-tool", "lar-edit", "check-receipt"),
    *("graphs", "data-browser", "data-changes", "data-downloads", "data-modified-lars"),
    *("data-sql", "quarterly-calendar", "quarterly-filers", "season-clock-page", "reports"),
)

# What is looked up by an address alone, with the status of the answer.
ADDRESSES = {
    f"{reverse('guide', args=['tools'])}": 200,
    f"{reverse('guide', args=['record'])}": 200,
    f"{reverse('guides')}?q=check+digits": 200,
    f"{reverse('am-i-covered')}?year=2025&kind=bank&assets=58000000": 200,
    f"{EDIT_BOOK}?quarter=Q1": 400,
    f"{EDIT_BOOK}?q=check+digit": 200,
    **{f"{EDIT_BOOK}{code}/": 200 for code in ("Q646", "V600", "V628-1", "S305")},
    "/nothing": 404,
    f"{LOGIN}?{'a&' * 1100}": 400,
    f"{reverse('signed-in')}?error=access_denied&state=unknown": 400,
    reverse("confirm-email", args=["MQ", "spent"]): 410,
    **{reverse("graph", args=[name]): 200 for name in ("tlc-fha-re", "all-applications")},
    f"{GRAPH}?first=2019-Q1&last=2019-Q2&series=FHA": 200,
    f"{reverse('quarterly-filers')}?q=no+such+bank": 200,
    ASKED: 200,
    f"{BROWSER}?years=2022&measure=denial_rate&by=loan_types,sexes": 200,
    f"{BROWSER}?years=2021,2022&measure=income&by=years,loan_types": 200,
    f"{BROWSER}?years=2022&measure=loan_amount&by=leis": 200,
    f"{BROWSER}?years=2022&actions_taken=1&measure=amount&breaks=1000000,5000000": 200,
    f"{BROWSER}?years=2022&actions_taken=1&measure=amount&breaks=5,1": 200,
    f"{BROWSER}?years=none": 400,
    f"{BROWSER}?years=2022&races=Klingon": 400,
    f"{SQL}&state=XX": 404,
    f"{reverse('data-sql')}?version=2022-99": 404,
    "/data/changes/2021/": 404,
}


def at_once(query: str, shows: str, *, narrow: bool = False) -> State:
    """Return the state of the page of own SQL once it has answered."""
    typed: Step = lambda page: page.fill("#sql-text", query)  # noqa: E731
    return at(f"{SQL}&state=CA", typed, press("Run query"), see(shows), narrow=narrow)


def refuse_file(path: str, button: str, content: bytes = UTF_16) -> State:
    return at(path, bring(content), press(button), see(ERRORS))


def check_file(content: bytes | str) -> State:
    year = lambda page: set_field(page, "year", "2024")  # noqa: E731
    checked = (press("Check file"), see(ANSWERS), open_all)
    return at(CHECK_FILE, bring(content), year, *checked)


def send_without_cookie(page: Page) -> None:
    page.fill("[name=username]", "root")
    page.fill("[name=password]", PASSWORD)
    page.context.clear_cookies()
    page.click("main [type=submit]")
    page.wait_for_load_state()


def point_at_a_place(page: Page) -> None:
    page.get_by_role("link", name="California: ").focus()
    page.locator("place-map .site-chart__tip").wait_for()


def edit_records(*steps: Step, content: str = "\n".join(LINES), **facts: Any) -> State:
    """Return a state of the row editor with a file."""
    opened = (bring(content, field="#editor-file"), see("#lar-table tr[data-place='0']"))
    return at(reverse("lar-edit"), *opened, *steps, **facts)


def open_cell(row: int, name: str) -> Step:
    return click(f"#lar-table tr[data-place='{row}'] [data-name='{name}']")


def convert(content: bytes, *steps: Step, **facts: Any) -> State:
    """Return a state of the LAR tool once a workbook is read."""
    read = (bring(content, "loans.xlsx"), *enter("Read the file", "#ts-lei", year="2024"))
    return at(reverse("lar-tool"), *read, *steps, **facts)


def fill_sheet(page: Page, lei: str = LEI) -> None:
    """Fill in the transmittal sheet of a file that is converted."""
    for name, value in (SHEET | {"lei": lei}).items():
        if name == "federal_agency":
            page.locator(f"#ts-{name}").select_option(str(value))
        elif name not in {"record_id", "total_lines"}:
            page.locator(f"#ts-{name}").fill(str(value))


def leave_out_amount(page: Page) -> None:
    open_all(page)
    page.get_by_label("Loan Amount", exact=True).first.select_option("")


def write_workbook(loans: Iterable[Mapping[str, Any]]) -> bytes:
    """Return loans under the headings of the guide."""
    rows = [[str(loan[field.name]) for field in LAR] for loan in loans]
    return as_workbook([[field.label for field in LAR], *rows])


WRONG_CODES = {"loan_type": "7", "loan_amount": "abc", "state": "XX", "loan_purpose": "9"}
PROBLEMS = write_workbook([LOAN | WRONG_CODES, *LOANS[1:]])
CONVERTED = (fill_sheet, press("Confirm and convert"), see(".lar-more > summary"))
TO_REVIEW = (LINES[0], LINES[1], "Loans of May", f"{LINES[2]}|more", "2|short", LINES[3][2:])
WRONG_LINES = (*LINES[:5], WRONG_LINE, *LINES[6:], LINES[2])
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000)"
FEW = ENDLESS.replace("2000", "20")
OWN_CASE = {"name": "Ann Example", "email": "ann@new-bank.example", "institution": "New Bank"}

PAGES: dict[str, State] = {
    **{name: at(reverse(name), light=True, by_hand=True) for name in LIGHT_PAGES},
    **{path[:100]: at(path, status=status) for path, status in ADDRESSES.items()},
    "edits": at(EDIT_BOOK, remove("tbody tr:nth-child(n+41)"), light=True, by_hand=True),
    "graph": at(GRAPH, by_hand=True),
    # A program of others, and the whole API on one page.
    "swagger": at(reverse("swagger")),
    "redoc": at(reverse("redoc"), remove("section:nth-of-type(n+3), article:nth-of-type(n+6)")),
    "filing instructions": at(
        reverse("filing-instructions-of-year", args=[RULEBOOKS[-1]]),
        remove("tbody tr:nth-child(n+30)"),
    ),
    "menu": at("/", click(".usa-menu-btn"), click("header button:has-text('API')"), narrow=True),
}

TOOLS: dict[str, State] = {
    **{
        f"check digit {button} {identifier[-2:]}": at(
            CHECK_DIGIT, *enter(button, "#answer > *", identifier=identifier)
        )
        for button, identifier in (
            ("Generate check digits", LOAN_ID),
            ("Generate check digits", "A1"),
            ("Validate ULI", f"{LOAN_ID}38"),
            ("Validate ULI", f"{LOAN_ID}39"),
        )
    },
    "check digits refused": refuse_file(CHECK_DIGIT, "Generate for the file"),
    "rate spread": at(
        RATE_SPREAD,
        *enter("Compute rate spread", "#answer", loanTerm="30", apr="6", lockInDate="2023-11-22"),
    ),
    "rate spread refused": at(RATE_SPREAD, *enter("Compute rate spread")),
    "rate spreads refused": refuse_file(RATE_SPREAD, "Compute for all lines"),
    "file with findings": check_file("\n".join([*LINES[:-1], WRONG_LINE, ""])),
    "file without findings": check_file("\n".join([*LINES, ""])),
    "file not read": check_file(b"1|Bank\n2|" + b"x" * 5_000),
    "file refused": refuse_file(CHECK_FILE, "Check file"),
    "workbook to check": at(
        CHECK_FILE, bring(PROBLEMS, "loans.xlsx"), press("Check file"), see(ANSWERS)
    ),
    "line with findings": at(
        CHECK_LINE, *enter("Check lines", ANSWERS, lines=WRONG_LINE, year="2024")
    ),
    "line not read": at(CHECK_LINE, *enter("Check lines", "#unread", lines="2|x")),
    "line refused": at(CHECK_LINE, *enter("Check lines")),
    "example of an edit": at(
        f"{EDIT_BOOK}V611/", press("Check the lines that trigger it"), see(ANSWERS)
    ),
    "receipt unknown": at(RECEIPT, *enter("Check number", receipt=f"{LEI}-2024-1-{'1' * 13}")),
}

FORMATTING: dict[str, State] = {
    "columns matched": convert(PROBLEMS, by_hand=True),
    "converted": convert(PROBLEMS, *CONVERTED, by_hand=True),
    "converted into the editor": convert(
        PROBLEMS, *CONVERTED, open_all, press("Open in the row editor"), see("#lar-table td")
    ),
    "converted without a column": convert(write_workbook(LOANS), leave_out_amount, *CONVERTED),
    "workbook refused": at(
        reverse("lar-tool"), bring(b"%PDF-1.7", "x.pdf"), press("Read the file"), see(ERRORS)
    ),
    "editor": edit_records(by_hand=True),
    "editor with findings": edit_records(
        open_cell(1, "loan_amount"),
        lambda page: page.fill("#field-loan_amount", "-5"),
        click("#editor-save"),
        see("[aria-invalid=true]"),
    ),
    "editor of a line": edit_records(open_cell(0, "city"), click("text=Pipe-delimited line")),
    "editor asks": edit_records(open_cell(3, "city"), click("#editor-delete"), see("dialog")),
    "editor with lines to review": at(
        reverse("lar-edit"),
        bring("\n".join(TO_REVIEW), field="#editor-file"),
        see("#editor-review-title"),
    ),
    "editor with a draft": edit_records(
        click("text=Keep a draft in this browser"),
        lambda page: page.reload(),
        see("#editor-draft-open"),
    ),
    "editor refuses": at(
        reverse("lar-edit"),
        bring(b"PK\x03\x04\xff\xfe", "loans.xlsx", "#editor-file"),
        see("#editor-notice *"),
    ),
    "editor with findings of the file": edit_records(
        click("#editor-check"),
        click("#editor-next-finding"),
        content="\n".join(WRONG_LINES),
    ),
}

ACCOUNTS: dict[str, State] = {
    "sign-in refused": at(LOGIN, *enter("Sign in", username="root", password="wrong")),
    "sign-up refused": at(
        reverse("sign-up"), *enter("Create account", email="eve@unknown.example")
    ),
    "forgotten refused": at(reverse("forgotten"), *enter("Send link", email="eve")),
    "case refused": at(reverse("open-case"), *enter("Send to the help desk")),
    "case opened": at(
        reverse("open-case"),
        *enter("Send to the help desk", "h1:not(:has(~ form))", **OWN_CASE, text="Add our domain."),
    ),
    "form without its cookie": at(LOGIN, send_without_cookie),
}

DATA: dict[str, State] = {
    "graph of a period": at(
        GRAPH, follow("Last 8 quarters"), click("#graph tbody tr:nth-child(8)")
    ),
    "answer explained": at(
        f"{BROWSER}?years=2021,2022&by=years,loan_types&measure=denial_rate", open_all
    ),
    "answer with filters": at(
        ASKED, click("text=Filters (5)"), click("#choices summary"), narrow=True
    ),
    "place found": at(
        BROWSER,
        lambda page: page.locator("#find").press_sequentially("demo prairie"),
        see("#places label"),
    ),
    "map pointed at": at(f"{BROWSER}?years=2022", point_at_a_place),
    "downloads": at(reverse("data-downloads"), open_all),
    "data version": at(reverse("data-downloads"), open_all, click("a[href*='/versions/']")),
    "SQL result": at_once("SELECT lei, action_taken, derived_race FROM loans", "#sql-result td"),
    "SQL result in part": at_once(
        f"{ENDLESS} SELECT x, 'a' AS text, NULL AS blank FROM n", "#sql-result td"
    ),
    "SQL refused": at_once("SELECT lei,\n  lender FROM loans", "#sql-problem *"),
    "SQL bars": at_once(
        "SELECT loan_type, count(*) FROM loans GROUP BY 1", "svg[role=img]", narrow=True
    ),
    "SQL line": at_once(f"{FEW} SELECT x, x * x FROM n", "svg[role=img]", narrow=True),
}

PICTURES = {"graphs": "graphs", ASKED: "data-browser", "converted": "lar-tool"}
EVERYONE = with_pictures(PAGES | TOOLS | FORMATTING | ACCOUNTS | DATA, PICTURES)

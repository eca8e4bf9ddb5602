"""The pages and states that one comes to without an account."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page

from config.guides import public
from databrowser.publication.columns import PUBLIC
from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.years import RULEBOOKS, Period
from tests.browser.conftest import PASSWORD
from tests.browser.page_states import (
    State,
    Step,
    bring,
    choose,
    click,
    fill,
    follow,
    let_pass,
    pages,
    press,
    remove,
    see,
    see_errors,
    see_heading,
)
from tests.publicapi.lar_tool.calls import as_workbook

LEI, YEAR = "529900EXAMPLELEI0001", Period(2024)
LOAN = examples.correct_loan(YEAR, LEI)
LOANS = [
    examples.correct_loan(YEAR, LEI, uli=examples.numbered_uli(LEI, number)) for number in range(10)
]
SHEET = examples.correct_transmittal_sheet(YEAR, LEI, len(LOANS))
LINES = [examples.write_record_line(each) for each in (SHEET, *LOANS)]
WRONG_LINE = examples.write_record_line(LOAN | {"loan_type": 9, "street": "x" * 300})
UTF_16 = "1|Bank".encode("utf-16")
CHECK_DIGIT, LOAN_ID = reverse("check-digit"), "10Bx939c5543TqA1144M999143X"
RATE_SPREAD, CHECK_FILE = reverse("rate-spread"), reverse("check-file")
CHECK_LINE, EDIT_BOOK = reverse("check-line"), reverse("edit-book")
LOGIN, BROWSER, SQL = reverse("identity:login"), "/data/browser/", "/data/sql/?version=2022-1"
ASKED = f"{BROWSER}?years=2021,2022&states=TX&races=Asian,White&sexes=Male,Female"
TOO_MANY_FIELDS = f"{LOGIN}?{'a&' * 1100}"

LIGHT_PAGES = (
    *("accessibility", "privacy", "home", "help", "guides", "api-guide", "open-case"),
    *("identity:login", "check-digit", "rate-spread"),
    *("sign-up", "sign-up-sent", "forgotten", "forgotten-sent"),
    *("check-line", "am-i-covered", "check-file", "lar-tool", "lar-edit", "check-receipt"),
    *("graphs", "data-browser", "data-changes", "data-downloads", "data-modified-lars"),
    *("data-sql", "quarterly-calendar", "quarterly-filers", "season-clock-page", "reports"),
)


def answer_check_digit(button: str, identifier: str, heading: str) -> State:
    steps = (fill("Loan identifier or ULI", identifier), press(button), see(heading))
    return State(path=CHECK_DIGIT, steps=steps)


def refuse_file(path: str, button: str) -> State:
    return State(path=path, steps=(bring(UTF_16), press(button), click(".site-errors a")))


def open_all(page: Page) -> None:
    """Open all that is folded."""
    for summary in page.locator("main summary").all():
        summary.click()


def ask_sql(sql: str, text: str, *, narrow: bool = False) -> State:
    steps = (fill("SQL query", sql), press("Run query"), see(text))
    return State(path=f"{SQL}&state=CA", steps=steps, narrow=narrow)


def answer_by_keyboard(page: Page) -> None:
    """Answer for a small bank, by keyboard from the first question to the button."""
    page.get_by_label("Data year").select_option("2025")
    page.get_by_label("Data year").focus()
    for keys in (
        ("Tab", " "),  # a bank
        ("Tab", "900,000,000"),
        ("Tab", "y"),
        ("Tab", "y"),
        ("Tab", "y"),
        *(("Tab", number) for number in ("310", "300", "20", "30", "400")),
        ("Tab", "n"),
    ):
        page.keyboard.press(keys[0])
        page.keyboard.type(keys[1])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def focus_place(page: Page) -> None:
    """Focus a place on a map, whose figure then shows."""
    page.get_by_role("link", name="California: ").focus()
    page.locator("place-map .site-chart__tip").wait_for()


def send_without_cookie(page: Page) -> None:
    page.fill("[name=username]", "root")
    page.fill("[name=password]", PASSWORD)
    page.context.clear_cookies()
    page.click("main [type=submit]")


PAGES: dict[str, State] = {
    **pages(*LIGHT_PAGES, heavy=False, by_hand=True),
    "edit-book": State(
        path=EDIT_BOOK,
        steps=(remove("tbody tr:nth-child(n+41)"),),
        heavy=False,
        by_hand=True,
    ),
    # A program of others, and the whole API on one page.
    "swagger": State(path=reverse("swagger")),
    "redoc": State(
        path=reverse("redoc"),
        steps=(remove("section:nth-of-type(n+3), article:nth-of-type(n+6)"),),
    ),
}

GUIDES: dict[str, State] = {
    **{
        f"guide {Path(name).stem}": State(path=reverse("guide", args=[Path(name).stem]))
        for name in public.PUBLIC
    },
    "filing instructions": State(
        path=reverse("filing-instructions-of-year", args=[RULEBOOKS[-1]]),
        steps=(remove("tbody tr:nth-child(n+30)"),),
    ),
    "guides found": State(
        path=reverse("guides"),
        steps=(fill("Search the guides", "check digits"), press("Search"), see("check digits")),
    ),
}

TOOLS: dict[str, State] = {
    "check digits": answer_check_digit("Generate check digits", LOAN_ID, "The check digits are 38"),
    "ULI valid": answer_check_digit("Validate ULI", f"{LOAN_ID}38", "The ULI is valid"),
    "ULI not valid": answer_check_digit("Validate ULI", f"{LOAN_ID}39", "The ULI is not valid"),
    "check digit refused": answer_check_digit("Generate check digits", "A1", "There is a problem"),
    "check digit with a file": State(path=CHECK_DIGIT, steps=(bring(LOAN_ID),)),
    "check digit file refused": refuse_file(CHECK_DIGIT, "Generate for the file"),
    "rate spread": State(
        path=RATE_SPREAD,
        steps=(
            fill("Loan term in years", "30"),
            fill("Annual percentage rate", "6.0"),
            fill("Rate set date", "2023-11-22"),
            press("Compute rate spread"),
            see("The rate spread is -1.420%"),
        ),
    ),
    "rate spread refused": State(
        path=RATE_SPREAD, steps=(let_pass, press("Compute rate spread"), see_errors)
    ),
    "rate spread file refused": refuse_file(RATE_SPREAD, "Compute for all lines"),
    "coverage": State(
        path=reverse("am-i-covered"), steps=(answer_by_keyboard, see("You must report them"))
    ),
    "file with findings": State(
        path=CHECK_FILE,
        steps=(
            bring("\n".join([*LINES[:-1], WRONG_LINE, ""])),
            choose("Data year", "2024"),
            press("Check file"),
            see("Findings in lar.txt"),
            open_all,
        ),
        picture="",
    ),
    "file that cannot be read": State(
        path=CHECK_FILE,
        steps=(
            bring(b"1|Bank\n2|" + b"x" * 5_000),
            choose("Data year", "2024"),
            press("Check file"),
            see("Lines with formatting errors: 2"),
        ),
    ),
    "file refused": refuse_file(CHECK_FILE, "Check file"),
    "line with findings": State(
        path=CHECK_LINE,
        steps=(
            fill("Lines", WRONG_LINE),
            choose("Data year", "2024"),
            press("Check lines"),
            see("Validity edits: 1"),
        ),
    ),
    "line that cannot be read": State(
        path=CHECK_LINE,
        steps=(fill("Lines", "2|x"), press("Check lines"), see("Lines with formatting errors: 1")),
    ),
    "line refused": State(path=CHECK_LINE, steps=(let_pass, press("Check lines"), see_errors)),
    **{
        f"edit {code}": State(path=reverse("edit-page", args=[code]), steps=(open_all,))
        for code in ("Q646", "V600", "V628-1", "S305")
    },
    "example of an edit": State(
        path=reverse("edit-page", args=["V611"]),
        steps=(press("Check the lines that trigger it"), see("V611 in the edits reference")),
    ),
    "edits found": State(
        path=EDIT_BOOK,
        steps=(fill("Code or words", "check digit"), press("Show"), see("V609")),
    ),
    "edits refused": State(path=f"{EDIT_BOOK}?quarter=Q1", status=400),
}

ACCOUNTS: dict[str, State] = {
    "sign-in refused": State(
        path=LOGIN,
        steps=(
            fill("[name=username]", "root"),
            fill("[name=password]", "wrong"),
            press("Sign in"),
            see_errors,
        ),
    ),
    "sign-up refused": State(
        path=reverse("sign-up"),
        steps=(
            let_pass,
            fill("[name=email]", "eve@unknown.example"),
            press("Create account"),
            see_errors,
        ),
    ),
    "forgotten refused": State(
        path=reverse("forgotten"),
        steps=(let_pass, fill("[name=email]", "eve"), press("Send link"), see_errors),
    ),
    "case opened": State(
        path=reverse("open-case"),
        steps=(
            fill("[name=name]", "Ann Example"),
            fill("[name=email]", "ann@new-bank.example"),
            fill("[name=institution]", "New Bank"),
            fill("[name=text]", "Add our email domain."),
            press("Send to the help desk"),
            see("Your case is "),
        ),
    ),
    "nothing there": State(path="/nothing", status=404, steps=(see("give this number"),)),
    "too many fields": State(path=TOO_MANY_FIELDS, status=400, steps=(see("give this number"),)),
    "sign-in failed": State(
        path=f"{reverse('signed-in')}?error=access_denied&state=unknown", status=400
    ),
    "link spent": State(path=reverse("confirm-email", args=["MQ", "spent"]), status=410),
    "program unknown": State(
        path=f"{reverse('identity:auth')}?client_id=unknown&response_type=code", status=400
    ),
    "form without its cookie": State(
        path=LOGIN, steps=(send_without_cookie, see("This form was not accepted"))
    ),
    "session": State(path=reverse("session"), by_hand=True),
    "menu": State(
        path="/",
        steps=(click(".usa-menu-btn"), click("header button:has-text('API')")),
        narrow=True,
    ),
    "call tried": State(
        path=reverse("swagger"),
        steps=(
            click("#operations-Filing-health .opblock-summary-control"),
            click("#operations-Filing-health button:has-text('Try it out')"),
            click("#operations-Filing-health button:has-text('Execute')"),
            click(".live-responses-table .response-col_status:has-text('200')"),
        ),
    ),
    "token given": State(
        path=reverse("swagger"),
        steps=(click("button.authorize"), click(".dialog-ux h3")),
    ),
}

DATA: dict[str, State] = {
    **{
        f"graph {name}": State(path=reverse("graph", args=[name]), by_hand=name == "credit-scores")
        for name in ("credit-scores", "tlc-fha-re", "all-applications")
    },
    "graph of some lines": State(
        path=f"{reverse('graph', args=['credit-scores'])}?first=2019-Q1&last=2019-Q2&series=FHA"
    ),
    "graph of a period": State(
        path=reverse("graph", args=["credit-scores"]),
        steps=(follow("Last 8 quarters"), click("#graph tbody tr:nth-child(8)")),
    ),
    "no filer found": State(
        path=f"{reverse('quarterly-filers')}",
        steps=(fill("Name or LEI", "no such bank"), press("Search"), see("in its name or LEI.")),
    ),
    "data browser answer": State(path=ASKED, picture="data-browser"),
    **{
        f"data browser {query}": State(path=f"{BROWSER}?{query}")
        for query in (
            "years=2022&measure=denial_rate&by=loan_types,sexes",
            "years=2021,2022&measure=income&by=years,loan_types",
            "years=2022&by=sexes,loan_types,lien_statuses&measure=share&base=rows",
            "years=2022&measure=loan_amount&by=leis",
            "years=2022&by=none",
            "years=2022&races=White",
            "years=2022&states=TX",
            "years=2022&states=TX&actions_taken=1",
            "years=2022&actions_taken=1&measure=amount&breaks=1000000,5000000",
        )
    },
    "data browser explained": State(
        path=f"{BROWSER}?years=2021,2022&by=years,loan_types&measure=denial_rate",
        steps=(click("text=How it is computed"), see("in percent of the applications")),
    ),
    "data browser drawer": State(
        path=ASKED,
        steps=(click("text=Filters (5)"), click("#choices summary")),
        narrow=True,
    ),
    "data browser refused": State(path=f"{BROWSER}?years=2022&races=Klingon", status=400),
    "data browser without years": State(
        path=BROWSER, steps=(click("label[for=years-2022]"), see("Years are needed"))
    ),
    "place found": State(
        path=BROWSER,
        steps=(
            lambda page: page.get_by_label("County, MSA/MD or institution").press_sequentially(
                "demo prairie"
            ),
            see("Demo Prairie"),
        ),
    ),
    "map pointed at": State(
        path=f"{BROWSER}?years=2022", steps=(focus_place,), picture="data-browser-map"
    ),
    "breaks refused": State(
        path=f"{BROWSER}?years=2022&actions_taken=1&measure=amount",
        steps=(
            click("text=Set the breaks of the legend"),
            fill("Breaks of the legend", "5,1"),
            press("Set breaks"),
            see("1 after 5"),
        ),
    ),
    "downloads": State(
        path=reverse("data-downloads"), steps=(click(f"text=All {len(PUBLIC)} columns"),)
    ),
    "SQL result": ask_sql("SELECT lei, action_taken, derived_race FROM loans LIMIT 40", "40 rows"),
    "SQL result in part": ask_sql(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000) "
        "SELECT x, 'a' AS text, NULL AS blank FROM n",
        "The first 1,000 rows of 2,000",
    ),
    "SQL refused": ask_sql("SELECT lei,\n  lender FROM loans", "no such column: lender"),
    "SQL bars": ask_sql(
        "SELECT loan_type, count(*) AS n FROM loans GROUP BY 1", " fetched.", narrow=True
    ),
    "SQL line": ask_sql(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 99) "
        "SELECT x, x * x AS square FROM n",
        " fetched.",
        narrow=True,
    ),
    "SQL of no state": State(path=f"{SQL}&state=XX", status=404, steps=(see("no records of XX"),)),
    "SQL of no version": State(
        path="/data/sql/?version=2022-99", status=404, steps=(see("No version 2022-99"),)
    ),
    "not compared": State(path="/data/changes/2021/", status=404),
}


def edit_records(*steps: Step, content: str = "\n".join(LINES), **facts: Any) -> State:
    """Return a state of the row editor with a file."""
    title = re.compile(r"^Loan Application Register \(")
    opened = (bring(content, field="#editor-file"), see_heading(title))
    return State(path=reverse("lar-edit"), steps=(*opened, *steps), **facts)


def convert(content: bytes, *steps: Step, **facts: Any) -> State:
    """Return a state of the LAR tool once a workbook is read."""
    read = (
        bring(content, "loans.xlsx"),
        choose("Data year", "2024"),
        press("Read the file"),
        see_heading("Match the columns"),
    )
    return State(path=reverse("lar-tool"), steps=(*read, *steps), **facts)


def fill_sheet(page: Page, lei: str = LEI) -> None:
    """Fill in the transmittal sheet of a file that is converted."""
    for name, value in (SHEET | {"lei": lei}).items():
        if name == "federal_agency":
            page.locator(f"#ts-{name}").select_option(str(value))
        elif name not in {"record_id", "total_lines"}:
            page.locator(f"#ts-{name}").fill(str(value))


def make_workbook(**changes: str) -> bytes:
    """Return the loans with changes of the first one."""
    rows = [[str((loan | changes)[field.name]) for field in LAR] for loan in LOANS[:1]]
    rows += [[str(loan[field.name]) for field in LAR] for loan in LOANS[1:]]
    return as_workbook([[field.label for field in LAR], *rows])


CONVERTED = (fill_sheet, press("Confirm and convert"), see_heading("Result"))
PROBLEMS = make_workbook(loan_type="7", loan_amount="abc", state="XX", loan_purpose="9")
TO_REVIEW = (LINES[0], LINES[1], "Loans of May", f"{LINES[2]}|more", "2|short", LINES[3][2:])
WRONG_LOANS = (*LINES[:5], examples.write_record_line(LOANS[4] | {"loan_type": 9}), *LINES[6:])

FORMATTING: dict[str, State] = {
    "columns matched": convert(PROBLEMS, by_hand=True),
    "converted": convert(PROBLEMS, *CONVERTED, by_hand=True),
    "converted into the editor": convert(
        PROBLEMS,
        *CONVERTED,
        click("summary:has-text('row editor')"),
        press("Open in the row editor"),
        see_heading("Loan Application Register (10)"),
    ),
    "converted without a column": convert(
        make_workbook(),
        click("text=110 columns matched"),
        lambda page: page.get_by_label("Loan Amount", exact=True).first.select_option(""),
        fill_sheet,
        press("Confirm and convert"),
        see_heading("Formatting errors: 10"),
    ),
    "workbook refused": State(
        path=reverse("lar-tool"),
        steps=(bring(b"%PDF-1.7", "x.pdf"), press("Read the file"), see("This is a PDF")),
    ),
    "editor": edit_records(by_hand=True),
    "editor with findings": edit_records(
        click("#lar-table tr[data-place='1'] [data-name='loan_amount']"),
        fill("#field-loan_amount", "-5"),
        click("#editor-save"),
        see("2 findings, beside their fields."),
    ),
    "editor of a line": edit_records(
        click("#lar-table tr[data-place='0'] [data-name='city']"),
        click("text=Pipe-delimited line"),
        lambda page: page.get_by_label("Record", exact=True).press("ArrowRight"),
    ),
    "editor asks": edit_records(
        click("#lar-table tr[data-place='3'] [data-name='city']"),
        press("Delete Row 4"),
        lambda page: page.get_by_role("dialog").wait_for(),
    ),
    "editor with lines to review": edit_records(
        see_heading("Lines to review"), content="\n".join(TO_REVIEW)
    ),
    "editor with a draft": edit_records(
        click("text=Keep a draft in this browser"),
        lambda page: page.reload(),
        see("This browser has a draft."),
    ),
    "editor refuses": State(
        path=reverse("lar-edit"),
        steps=(
            bring(b"PK\x03\x04\xff\xfe", "loans.xlsx", "#editor-file"),
            see("is not UTF-8 text"),
        ),
    ),
    "editor with findings of the file": edit_records(
        press("Check all records"),
        see("findings in the file."),
        press(re.compile("^Next of")),
        content="\n".join([*WRONG_LOANS, LINES[2]]),
    ),
}

EVERYONE = PAGES | GUIDES | TOOLS | FORMATTING | ACCOUNTS | DATA

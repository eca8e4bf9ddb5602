"""The pages and states of the admin, and what has to be there before."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import Page

import config.urls  # noqa: F401 -- with which the tables of the admin register
from filing.demo.census import write_census
from filing.lar.fields import LAR_BY_NAME
from tests.browser.conftest import FILLED_YEAR, lei_of
from tests.browser.page_states import (
    ERRORS,
    KNOWN,
    State,
    Step,
    at,
    bring,
    click,
    enter,
    follow,
    press,
    see,
    send_empty,
    with_pictures,
)
from tests.filing.panel.bad_panel import ANYWHERE, IN_WORKBOOKS, as_csv, as_xlsx, lines
from tests.flow.conftest import ALWAYS, Service
from tests.flow.filer import Filer, lar

FILED, REASON = "2024", "The filer asks about line 17."
LEI = lei_of("states of a tool")
SIGNED, STOPPED, UNREADABLE, EMPTY = 1, 2, 3, 4
SUBMISSIONS, PANEL = "/admin/filing/submission/", "/admin/filing/institution/"
BANK, SURVIVOR = "FLOWTEST000000000008", "FLOWTEST000000000009"
SEASON = f"{reverse('admin:season')}?period={FILLED_YEAR}"
NOT_FILED = f"{reverse('admin:season_not_filed')}?period={FILLED_YEAR}"
OPENING = f"{reverse('admin:filing_seasonopening_open')}?year=2023"
FIND_ROWS = """
import json
from django.contrib import admin
from filing.models import Submission
rows = {{
    model._meta.label_lower.replace(".", "_"): model._base_manager.order_by("pk").last()
    for model in admin.site._registry
}}
known = {{name: str(row.pk) for name, row in rows.items() if row}}
for made in Submission.objects.filter(filing__institution__lei={lei!r}):
    known[f"submission_{{made.sequence_number}}"] = str(made.pk)
print(json.dumps(known))
"""


def change_loan(loan: str, number: int) -> str:
    """Return a loan with another amount and a loan type that is none."""
    fields = loan.split("|")
    fields[LAR_BY_NAME["loan_type"].number - 1] = "9"
    fields[LAR_BY_NAME["loan_amount"].number - 1] = f"{number * 10_000 + 5_000}"
    return "|".join(fields)


def file_submissions(site: Service, lei: str) -> None:
    """File four submissions: signed, with edits, unreadable, and empty."""
    site.manage_all(["load_census", FILED, "--demo"], ["open_season", FILED, *ALWAYS])
    with Filer.of(site, FILED, lei) as filer:
        good = lar(filer, rows=60, fail=("Q611:3",))
        filer.file(good)
        for kind in ("quality", "macro"):
            filer.verify(kind)
        assert filer.sign().status_code in {200, 201}
        sheet, *loans = good.decode().splitlines()
        wrong = [change_loan(loan, number) for number, loan in enumerate(loans[2:32], 1)]
        filer.file("\n".join([sheet, *wrong, *loans[32:], ""]).encode(), number=STOPPED)
        torn = "\n".join([sheet, *loans[:5], "2|three|fields", ""])
        filer.file(torn.encode(), number=UNREADABLE)
        filer.begin()


def fill_with_rows(site: Service) -> None:
    """Let a row be in each table of the admin, and remember where it is."""
    file_submissions(site, LEI)
    KNOWN.update(json.loads(site.manage("shell", "-v", "0", "-c", FIND_ROWS.format(lei=LEI))))


def address(name: str, *parts: str) -> str:
    """Return the address of a page of the admin. parts: names of what is known of the service."""
    path = reverse(f"admin:{name}", args=["0"] * len(parts))
    for part in parts:
        path = path.replace("/0/", f"/{{{part}}}/", 1)
    return path


of_staff = partial(at, who="root")


def has_add(model: type[Model]) -> bool:
    """Return whether a superuser adds rows to a table."""
    request = RequestFactory().get("/admin/")
    request.user = User(pk=1, username="root", is_superuser=True, is_staff=True, is_active=True)
    return bool(admin.site._registry[model].has_add_permission(request))


def list_table_states() -> dict[str, State]:
    """Return a row of each table of the admin, and a list or the form for a new one of some.

    All lists are of one template, and a form has the fields of its row.
    """
    states = {}
    models = sorted(admin.site._registry, key=lambda model: model._meta.label_lower)
    for number, model in enumerate(models):
        label, name = model._meta.label_lower, model._meta.label_lower.replace(".", "_")
        row = reverse(f"admin:{name}_change", args=["0"]).replace("/0/", f"/{{{name}}}/")
        states[f"{label} row"] = of_staff(row)
        if number % 3 == 0 or label in PICTURED:
            states[f"{label} list"] = of_staff(reverse(f"admin:{name}_changelist"))
        if number % 3 == 1 and has_add(model):
            states[f"{label} added"] = of_staff(reverse(f"admin:{name}_add"))
    return states


def of_submission(number: int, below: str, *steps: Step) -> State:
    """Return the state of a page of a submission, whose records are opened with a reason."""
    path = f"{SUBMISSIONS}{{submission_{number}}}/{below}"
    return at(path, give_reason_if_asked, *steps, who="desk")


def give_reason_if_asked(page: Page) -> None:
    if "/reason/" in page.url:
        page.get_by_label("Reason").fill(REASON)
        press("Open the records")(page)
        page.wait_for_url(lambda url: "/reason/" not in url)


def of_institution(label: str, *steps: Step) -> State:
    """Return the state of a form about an institution."""
    found = (click("#result_list tbody th a"), follow(label), see(f"h1:has-text('{label}')"))
    return of_staff(f"{PANEL}?q={BANK}", *found, *steps)


def enter_merger(other: str) -> tuple[Step, ...]:
    two_files: Step = lambda page: page.get_by_label("two separate files").check()  # noqa: E731
    return (two_files, *enter("Preview", "main", other_lei=other, effective_on="2024-05-15"))


def preview_file(path: str, content: bytes | str, name: str) -> State:
    return of_staff(
        path, bring(content, name, "[name=file]"), press("Preview"), see("table, .errorlist")
    )


def follow_act(name: str, *steps: Step) -> State:
    """Return the state of the page on which something is done to the signed submission."""
    path = f"{SUBMISSIONS}{{submission_{SIGNED}}}/change/"
    return of_staff(path, follow(name), see("#content form, .helps, #content"), *steps)


def fill_season() -> tuple[Step, ...]:
    days: Step = lambda page: page.get_by_label("Fill in").select_option("usual")  # noqa: E731
    return (days, press("Fill in"), see("h2"))


PICTURED = ("filing.referencedata", "filing.submission", "graphs.computation")
WHY = reverse("admin:filing_membership_why_not_sign")
CENSUS = f"{reverse('admin:filing_referencedata_load')}?kind=census&year=2019"
EVENTS = ("Merger", "New LEI", "Closing", "Extend a deadline")
CHANGED_PANEL = lines([])
CHANGED_PANEL[1][2], CHANGED_PANEL[1][9] = "New Bank", ""
RATES = "|".join(["1/2/2017", *["3.5"] * 50])
CARRIED = {"from_year": "2025", "to_year": "2026"}
BY_HAND = (
    *("index", "season_catalogue", "season_not_filed", "guide", "password_change"),
    *("filing_institution_import", "filing_seasonopening_open", "filing_referencedata_load"),
    *("databrowser_version_build", "evidence", "backups", "freshness", "findings"),
    *("request_rotation", "filing_submission_request_csv", "subscriptions"),
)
KINDS_BY_HAND = {  # of the tables whose lists and forms have parts of their own
    *("filing.institution list", "filing.institution added", "filing.submission list"),
    *("filing.announcement added", "auth.user list", "databrowser.version list"),
    *("databrowser.freezeday list", "auditlog.logentry list", "ratespread.aporload added"),
}
REFUSED = {
    "filing_institution_add": "Save",
    "auth_user_add": "Save",
    "password_change": "Change my password",
    "filing_institution_import": "Preview",
    "filing_referencedata_load": "Preview",
    "databrowser_version_build": "Build the data set",
    "filing_seasonopening_open": "Preview",
}
OF_SUBMISSIONS = (
    *((SIGNED, below) for below in ("change/", "edits/", "compare/", "as-filer/", "file/")),
    *((SIGNED, below) for below in ("hash/", "edits/Q611/")),
    *((STOPPED, below) for below in ("change/", "edits/", "edits/V611/", "compare/")),
    *((UNREADABLE, below) for below in ("change/", "format-errors/")),
    (EMPTY, "change/"),
)

TABLES = {
    name: replace(state, by_hand=name in KINDS_BY_HAND)
    for name, state in list_table_states().items()
}

FORMS: dict[str, State] = {
    **{name: of_staff(reverse(f"admin:{name}"), by_hand=True) for name in BY_HAND},
    **{
        f"{name} refused": of_staff(
            f"{reverse(f'admin:{name}')}?year=2022&dataset=snapshot"
            if name == "databrowser_version_build"
            else reverse(f"admin:{name}"),
            *send_empty(button),
        )
        for name, button in REFUSED.items()
    },
    "guide section": of_staff(reverse("admin:guide_section", args=["prepare-a-year"])),
    "figure": of_staff(reverse("admin:season_catalogue"), click(".season-links a"), see("table")),
    "tables of an app": of_staff("/admin/filing/"),
    "task": of_staff(reverse("admin:request_task", args=["verify-log"])),
    "season": of_staff(SEASON, by_hand=True),
    "season in figures": of_staff(SEASON, click("summary"), see("details[open] table")),
    "history": of_staff("/admin/filing/institution/{filing_institution}/history/"),
    "rulebook": of_staff("/admin/filing/filingyear/2024/rulebook/"),
    "who has not filed": of_staff(NOT_FILED),
    "without rights": at(reverse("admin:filing_institution_add"), who="desk", status=403),
    "subscriptions refused": of_staff(
        reverse("admin:subscriptions"),
        lambda page: page.get_by_label("LEIs").first.fill("not an LEI"),
        press("Save"),
        see(".errorlist"),
    ),
    "season filled in": of_staff(
        OPENING, *fill_season(), see("[name$=opens], .inline-group, table")
    ),
}

SUBMITTED: dict[str, State] = {
    **{f"submission {each[0]} {each[1]}": of_submission(*each) for each in OF_SUBMISSIONS},
    "submission without a file": at(
        f"{SUBMISSIONS}{{submission_{EMPTY}}}/hash/", who="desk", status=404
    ),
    "records asked": at(
        f"/filing/reason/{{submission_{EMPTY}}}/?next=/admin/",
        *enter("Open the records", "[role=alert]"),
        who="desk",
    ),
    "note": of_submission(
        SIGNED, "change/", *enter("Add note", "#notes article", text="They called.")
    ),
    "who looked": of_submission(SIGNED, "change/", follow("Who looked"), see("table")),
    "why not signed": at(f"{WHY}?person=desk&lei={LEI}", who="desk"),
    "why not signed refused": at(f"{WHY}?person=nobody&lei={LEI}", who="desk"),
    "receipt again": follow_act("Send the receipt again"),
    "receipt sent again": follow_act(
        "Send the receipt again",
        *enter("Send the receipt of 1 submission again", "[role=status]", reason=REASON),
    ),
    "edits not run again": follow_act("Run the edits again"),
    "filings chosen": of_staff(
        reverse("admin:filing_filing_changelist"),
        click("#action-toggle"),
        *enter("Go", "main form", action="cancel"),
    ),
}

INSTITUTIONS: dict[str, State] = {
    **{
        name: of_institution(name) for name in ("Merger", "New LEI", "Closing", "Extend a deadline")
    },
    "merger preview": of_institution("Merger", *enter_merger(SURVIVOR)),
    "merger without a reason": of_institution(
        "Merger", *enter_merger(SURVIVOR), *enter("Record the merger")
    ),
    "merger refused": of_institution("Merger", *enter_merger(BANK), see(ERRORS)),
    "panel preview": preview_file(
        f"{PANEL}import/", as_xlsx(lines([*ANYWHERE, *IN_WORKBOOKS])), "panel.xlsx"
    ),
    "panel changes": preview_file(f"{PANEL}import/", as_csv(CHANGED_PANEL), "panel.csv"),
    "panel not read": preview_file(f"{PANEL}import/", b"lei,name\n", "panel.csv"),
    "panel carried over": of_staff(f"{PANEL}carry/", *enter("Preview", "table", **CARRIED)),
    "panel export": of_staff(f"{PANEL}export/"),
    "institution to delete": of_staff(f"{PANEL}{{filing_institution}}/delete/"),
    "census preview": preview_file(CENSUS, write_census(2019), "census.txt"),
    "census refused": preview_file(CENSUS, write_census(2018), "census.txt"),
    "rates preview": preview_file(reverse("admin:ratespread_aporload_add"), RATES, "fixed.txt"),
    "season preview": of_staff(OPENING, *fill_season(), press("Preview"), see("[name=reason]")),
    "season days refused": of_staff(
        OPENING,
        *fill_season(),
        lambda page: page.get_by_label("2023: First day").fill("2039-01-01"),
        press("Preview"),
        see(".errorlist"),
    ),
    "reminder": of_staff(
        NOT_FILED, press(re.compile("^Remind all")), see("[value=Preview], button:text('Preview')")
    ),
    "reminder preview": of_staff(
        NOT_FILED, press(re.compile("^Remind all")), press("Preview"), see("[name=reason]")
    ),
    "reminder sent": of_staff(
        NOT_FILED,
        press(re.compile("^Remind all")),
        press("Preview"),
        *enter(re.compile("^Send"), "#content-main", reason=REASON),
    ),
}

PICTURES = {
    "filings chosen": "cancel-filings",
    "graphs.computation list": "graphs-versions",
    "history": "institution-history",
    "note": "notes",
    "panel preview": "panel-preview",
    "receipt again": "receipt-again",
    "filing.referencedata list": "reference-data",
    "season filled in": "season-form",
    "season preview": "season-preview",
    "filing.seasonopening row": "season-report",
    "season": "season",
    "filing.submission list": "submissions",
    f"submission {STOPPED} compare/": "what-changed",
    "who has not filed": "who-has-not-filed",
    f"submission {SIGNED} change/": "who-signed",
    f"submission {STOPPED} change/": "why-it-stopped",
}
STAFF = with_pictures(TABLES | FORMS | SUBMITTED | INSTITUTIONS, PICTURES)

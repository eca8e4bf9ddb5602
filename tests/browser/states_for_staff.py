"""The pages and states of the admin, and what has to be there before."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import Page

import config.urls  # noqa: F401 -- with which the tables of the admin register
from config.guides import operators
from filing.demo.census import write_census
from filing.lar.fields import LAR_BY_NAME
from tests.browser.conftest import FILLED_YEAR, lei_of
from tests.browser.page_states import (
    KNOWN,
    State,
    Step,
    bring,
    choose,
    click,
    empty_form,
    fill,
    follow,
    let_pass,
    press,
    see,
    see_errors,
)
from tests.filing.panel.bad_panel import ANYWHERE, IN_WORKBOOKS, as_csv, as_xlsx, lines
from tests.flow.conftest import ALWAYS, Service
from tests.flow.filer import Filer, lar

FILED, REASON = "2024", "The filer asks about line 17."
LEI = lei_of("states of a tool")
SIGNED, STOPPED, UNREADABLE, EMPTY = 1, 2, 3, 4
SUBMISSIONS = "/admin/filing/submission/"
BANK, SURVIVOR = "FLOWTEST000000000008", "FLOWTEST000000000009"
PANEL = "/admin/filing/institution/"
SEASON = f"{reverse('admin:season')}?period={FILLED_YEAR}"
NOT_FILED = f"{reverse('admin:season_not_filed')}?period={FILLED_YEAR}"
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


def of_staff(path: str, *steps: Step, **facts: Any) -> State:
    return State(path=path, who=facts.pop("who", "root"), steps=steps, **facts)


def has_add(model: type[Model]) -> bool:
    """Return whether a superuser adds rows to a table."""
    request = RequestFactory().get("/admin/")
    request.user = User(pk=1, username="root", is_superuser=True, is_staff=True, is_active=True)
    return bool(admin.site._registry[model].has_add_permission(request))


def list_table_states() -> dict[str, State]:
    """Return the list, a row, its history and the form for a new one of each table."""
    states = {}
    for model in sorted(admin.site._registry, key=lambda model: model._meta.label_lower):
        label, name = model._meta.label_lower, model._meta.label_lower.replace(".", "_")
        states[f"{label} list"] = of_staff(address(f"{name}_changelist"))
        states[f"{label} row"] = of_staff(address(f"{name}_change", name))
        states[f"{label} history"] = of_staff(address(f"{name}_history", name))
        if has_add(model):
            states[f"{label} added"] = of_staff(address(f"{name}_add"))
    return states


def of_submission(number: int, below: str, *steps: Step, **facts: Any) -> State:
    """Return the state of a page of a submission, whose records are opened with a reason."""
    path = f"{SUBMISSIONS}{{submission_{number}}}/{below}"
    return of_staff(path, give_reason_if_asked, *steps, who="desk", **facts)


def give_reason_if_asked(page: Page) -> None:
    if "/reason/" in page.url:
        page.get_by_label("Reason").fill(REASON)
        press("Open the records")(page)
        page.wait_for_url(lambda url: "/reason/" not in url)


def send_empty(button: str) -> tuple[Step, ...]:
    """Send a form without anything."""
    return (empty_form, press(button), see_errors)


def of_institution(label: str, *steps: Step) -> State:
    """Return the state of a form about an institution."""
    found = (click("#result_list tbody th a"), follow(label), see(label))
    return of_staff(f"{PANEL}?q={BANK}", *found, *steps)


def enter_merger(other: str, text: str) -> tuple[Step, ...]:
    return (
        fill("[name=other_lei]", other),
        fill("[name=effective_on]", "2024-05-15"),
        lambda page: page.get_by_label("two separate files").check(),
        press("Preview"),
        see(text),
    )


def preview_panel(content: bytes, name: str, text: str) -> State:
    steps = (bring(content, name, "[name=file]"), click("input[value=Preview]"), see(text))
    return of_staff(f"{PANEL}import/", *steps)


def preview_census(content: str, text: str) -> State:
    path = f"{reverse('admin:filing_referencedata_load')}?kind=census&year=2019"
    return of_staff(path, bring(content, "census.txt", "[name=file]"), press("Preview"), see(text))


CHANGED_PANEL = lines([])
CHANGED_PANEL[1][2], CHANGED_PANEL[1][9] = "New Bank", ""

TABLES = list_table_states()

FORMS: dict[str, State] = {
    **{
        name: of_staff(reverse(f"admin:{name}"), by_hand=True)
        for name in (
            *("index", "season_catalogue", "season_not_filed", "guide", "password_change"),
            *("filing_institution_add", "filing_institution_import", "filing_seasonopening_open"),
            *("filing_referencedata_load", "filing_announcement_add", "databrowser_version_build"),
            *("ratespread_aporload_add", "evidence", "backups", "freshness", "findings"),
            *("request_rotation", "filing_submission_request_csv", "subscriptions"),
            *("filing_institution_changelist", "filing_submission_changelist"),
            *("auth_user_changelist", "databrowser_version_changelist"),
            *("databrowser_freezeday_changelist", "auditlog_logentry_changelist"),
            "filing_listschedule_add",
        )
    },
    **{
        f"guide {section.slug}": of_staff(reverse("admin:guide_section", args=[section.slug]))
        for section in operators.operators_sections()[::4]
    },
    "season": of_staff(SEASON, by_hand=True, picture="season"),
    "season in figures": of_staff(
        SEASON,
        click("summary"),
        lambda page: page.get_by_role(
            "region", name="Signed and expected filings: numbers"
        ).wait_for(),
    ),
    "who has not filed": of_staff(NOT_FILED, picture="who-has-not-filed"),
    "reminder": of_staff(
        NOT_FILED,
        press("Remind all"),
        see("Preview"),
    ),
    "reminder preview": of_staff(
        NOT_FILED,
        press("Remind all"),
        press("Preview"),
        see("Reason"),
        picture="reminder-preview",
    ),
    "without rights": of_staff(reverse("admin:filing_institution_add"), who="desk", status=403),
    "subscriptions refused": of_staff(
        reverse("admin:subscriptions"),
        lambda page: page.get_by_label("LEIs").first.fill("not an LEI"),
        press("Save"),
        see_errors,
    ),
    **{
        f"{name} refused": of_staff(f"{reverse(f'admin:{place}')}{query}", *send_empty(button))
        for name, place, query, button in (
            ("institution", "filing_institution_add", "", "Save"),
            ("announcement", "filing_announcement_add", "", "Save"),
            ("membership", "filing_membership_add", "", "Save"),
            ("user", "auth_user_add", "", "Save"),
            ("password", "password_change", "", "Change my password"),
            ("panel", "filing_institution_import", "", "Preview"),
            ("reference data", "filing_referencedata_load", "", "Preview"),
            ("rates", "ratespread_aporload_add", "", "Preview"),
            (
                "build",
                "databrowser_version_build",
                "?year=2022&dataset=snapshot",
                "Build the data set",
            ),
            ("graphs", "graphs_computation_add", "", "Compute the graphs"),
            ("season", "filing_seasonopening_open", "", "Preview"),
        )
    },
}

SUBMITTED: dict[str, State] = {
    **{
        f"submission {number} {below}": of_submission(number, below)
        for number, below in (
            *((SIGNED, below) for below in ("change/", "edits/", "compare/", "as-filer/")),
            *((SIGNED, below) for below in ("file/", "hash/", "edits/Q611/")),
            *((STOPPED, below) for below in ("change/", "edits/", "edits/V611/", "compare/")),
            *((UNREADABLE, below) for below in ("change/", "format-errors/")),
            (EMPTY, "change/"),
        )
    },
    "submission without a file": of_staff(
        f"{SUBMISSIONS}{{submission_{EMPTY}}}/hash/", who="desk", status=404
    ),
    "records asked": of_staff(f"/filing/reason/{{submission_{EMPTY}}}/?next=/admin/", who="desk"),
    "records refused": of_staff(
        f"/filing/reason/{{submission_{EMPTY}}}/?next=/admin/",
        let_pass,
        press("Open the records"),
        see("at least 10 characters"),
        who="desk",
    ),
    "who looked": of_submission(SIGNED, "change/", follow("Who looked"), see("newest first")),
    "why not signed": of_submission(
        SIGNED,
        "change/",
        follow("Why can this person not sign?"),
        fill("Person", "desk"),
        lambda page: page.get_by_label("Person").press("Enter"),
        see("Cannot sign."),
    ),
    "why not signed refused": of_submission(
        SIGNED,
        "change/",
        follow("Why can this person not sign?"),
        fill("Person", "nobody"),
        lambda page: page.get_by_label("Person").press("Enter"),
        see("No one person has this name"),
    ),
    "receipt sent again": of_staff(
        f"{SUBMISSIONS}{{submission_{SIGNED}}}/change/",
        follow("Send the receipt again"),
        see("Reason"),
        picture="receipt-again",
    ),
    "edits not run again": of_staff(
        f"{SUBMISSIONS}{{submission_{SIGNED}}}/change/",
        follow("Run the edits again"),
        see("A correction is a new submission"),
    ),
    "filings chosen": of_staff(
        reverse("admin:filing_filing_changelist"),
        click("#action-toggle"),
        choose("[name=action]", "cancel"),
        press("Go"),
        see("Go back"),
        picture="cancel-filings",
    ),
}

INSTITUTIONS: dict[str, State] = {
    **{
        label: of_institution(label)
        for label in (
            *("Merger", "New name", "New LEI", "Closing", "Extend a deadline"),
            "Begin quarterly filing",
        )
    },
    "merger preview": of_institution(
        "Merger", *enter_merger(SURVIVOR, "its own loans of the year")
    ),
    "merger without a reason": of_institution(
        "Merger",
        *enter_merger(SURVIVOR, "its own loans of the year"),
        let_pass,
        press("Record the merger"),
        see_errors,
    ),
    "merger refused": of_institution("Merger", *enter_merger(BANK, "does not merge with itself")),
    "panel preview": preview_panel(
        as_xlsx(lines([*ANYWHERE, *IN_WORKBOOKS])), "panel.xlsx", "Nothing is imported yet."
    ),
    "panel changes": preview_panel(as_csv(CHANGED_PANEL), "panel.csv", "Test Bank"),
    "panel unread": preview_panel(b"lei,name\n", "panel.csv", "The header row has no column"),
    "panel carried over": of_staff(
        PANEL,
        click(".object-tools >> text=Carry over"),
        choose("[name=from_year]", "2025"),
        choose("[name=to_year]", "2026"),
    ),
    "panel carried over preview": of_staff(
        PANEL,
        click(".object-tools >> text=Carry over"),
        choose("[name=from_year]", "2025"),
        choose("[name=to_year]", "2026"),
        click("input[value=Preview]"),
        see("To be added"),
    ),
    "panel export": of_staff(f"{PANEL}?q=FLOWTEST000000000001", click(".export_link")),
    "institution to delete": of_staff(
        f"{PANEL}?q=FLOWTEST000000000000", click("#result_list tbody th a"), click("a.deletelink")
    ),
    "season filled in": of_staff(
        "/admin/filing/seasonopening/open/?year=2023",
        choose("Fill in", "usual"),
        press("Fill in"),
        see("Periods of 2023"),
        picture="season-form",
    ),
    "season preview": of_staff(
        "/admin/filing/seasonopening/open/?year=2023",
        choose("Fill in", "usual"),
        press("Fill in"),
        see("Periods of 2023"),
        press("Preview"),
        see("No census is loaded for 2023."),
        picture="season-preview",
    ),
    "season days refused": of_staff(
        "/admin/filing/seasonopening/open/?year=2023",
        choose("Fill in", "usual"),
        press("Fill in"),
        see("Periods of 2023"),
        fill("2023: First day", "2039-01-01"),
        press("Preview"),
        see("these days must follow each other"),
    ),
    "census preview": preview_census(write_census(2019), "Changes"),
    "census refused": preview_census(write_census(2018), "612 lines have errors"),
    "rates preview": of_staff(
        "/admin/ratespread/aporload/add/",
        bring("|".join(["1/2/2017", *["3.5"] * 50]), "fixed.txt", "[name=file]"),
        press("Preview"),
        see("Changes this load would make"),
    ),
}

STAFF = TABLES | FORMS | SUBMITTED | INSTITUTIONS

"""The same filing is owed, due and late for every reader: filers, staff and the public.

Beside the institution of a situation are ten others, which owe the period and have not filed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from databrowser.season_clock import clock
from filing import day_hours
from filing.models import DeadlineExtension, Filing, FilingPeriod, Institution, InstitutionEvent
from filing.periods import duties
from filing.statuses import FilingStatus
from tests.conftest import LEI
from tests.filing.admin.institution_form import TYPED
from tests.filing.api.test_operators import caller_with
from tests.filing.pages.steps import member, signed_in
from tests.filing.test_test_institutions import sign

pytestmark = pytest.mark.django_db
OTHERS = [f"529900OTHERBANK{number:05d}" for number in range(10)]
WHY = "The institution told us by phone."
QUARTER = "Q1"


class Answer(NamedTuple):
    """owed: must be filed. due: owed and not signed. counts: in the season. late: due and late."""

    owed: bool
    due: bool
    counts: bool
    late: bool


OWED = Answer(owed=True, due=True, counts=True, late=True)
NOTHING = Answer(owed=False, due=False, counts=False, late=False)


@pytest.fixture(autouse=True)
def season_clock(settings: Any) -> None:
    settings.SEASON_CLOCK_ENABLED = True


@pytest.fixture
def period(request: pytest.FixtureRequest) -> FilingPeriod:
    """The only period, whose deadline has passed; `request.param` is its quarter."""
    today = day_hours.today()
    return FilingPeriod.objects.create(
        year=2024,
        quarter=getattr(request, "param", ""),
        opens=today - timedelta(days=90),
        timely_until=today - timedelta(days=10),
        closes=today + timedelta(days=900),
    )


@pytest.fixture
def others(period: FilingPeriod) -> list[Institution]:
    institutions = [add_institution(lei) for lei in OTHERS]
    for institution in institutions:
        Filing.objects.create(institution=institution, period=period)
    return institutions


@pytest.fixture
def filing(institution: Institution, period: FilingPeriod, others: object) -> Filing:
    return Filing.objects.create(institution=institution, period=period)


def add_institution(lei: str, **facts: Any) -> Institution:
    return Institution.objects.create(
        **{"activity_year": 2024, "lei": lei, "name": lei, "agency": 9, "quarterly_filer": True}
        | facts
    )


def read_filer_answers(period: FilingPeriod) -> dict[str, Any]:
    """Return what the readers of a filer answer of the institution, by reader."""
    claims = tokens.identity_claims("ann", username="ann", leis=[LEI])
    token = tokens.issue_token(claims, seconds=600)
    program = Client(headers={"authorization": f"Bearer {token}"})
    obligations = f"/v2/filing/institutions/{LEI}/obligations"
    listed = [
        each
        for each in program.get(obligations).json()["obligations"]
        if each["period"] == str(period) and each["filingStatus"]["code"] != -1
    ]
    events = re.findall("SUMMARY:.*", program.get(f"{obligations}.ics").content.decode())
    address = f"/filing/{LEI}/{period.year}/" + (f"{period.quarter}/" if period.quarter else "")
    path = f"/v2/filing/institutions/{LEI}/filings/{period.year}"
    path += f"/quarter/{period.quarter}" if period.quarter else ""
    answer = program.get(path)
    required = answer.json()["filing"]["filingRequired"] if answer.status_code == 200 else None
    user = User.objects.filter(username="vera").first() or member("vera", LEI, *OTHERS)
    browser = signed_in(user)
    table = browser.get("/filing/")
    is_due = table.context["due"] - len(OTHERS)
    card = browser.get(address)
    tag = card.context["card"].tag.text if card.status_code == 200 else ""
    start = signed_in(User.objects.filter(username="una").first() or member("una", LEI)).get("/")
    next_card = start.context["card"]
    when = card.context["card"].when if card.status_code == 200 else ""
    return {
        "obligations: counts": bool(listed),
        "obligations: due": bool(listed) and listed[0]["receipt"] is None,
        "calendar: counts": bool(events),
        "list of many: due": bool(is_due),
        "filing page: late": tag == "Late",
        "filing page, deadline: late": when.startswith("Late since"),
        "start page: late": next_card is not None and next_card.tag.text == "Late",
        **({} if required is None else {"filingRequired: owed": required}),
    }


def read_staff_answers(staff: Client, period: FilingPeriod) -> dict[str, Any]:
    """Return what the readers of staff and the public answer of the institution, by reader."""
    where = {"period": str(period)}
    filings = reverse("admin:filing_filing_changelist")

    def is_listed(**filters: str) -> bool:
        rows = staff.get(filings, filters).context["cl"].result_list
        return LEI in {row.institution.lei for row in rows}

    periods = staff.get(reverse("admin:filing_filingperiod_changelist")).context["cl"].result_list
    (row,) = [each for each in periods if each.pk == period.pk]
    missing = staff.get(reverse("admin:season_not_filed_csv"), where)
    table = list(csv.DictReader(io.StringIO(b"".join(missing).decode("utf-8-sig"))))
    season = staff.get(reverse("admin:season"), where).context
    page = staff.get(reverse("admin:season_not_filed"), where).context["missing"]
    plan = staff.get(reverse("admin:filing_reminder_write"), where | {"all": "1"}).context["plan"]
    clock.forget_clock()
    public = Client().get("/v2/public/season").json()["filings"]
    late = is_listed(timeliness="overdue")
    due_now = is_listed(timeliness="due")
    return {
        "list of filings: due": late or due_now,
        "list of filings: late": late,
        "list of filings, open: late": is_listed(needs="late"),
        "list of periods: counts": row.owed - len(OTHERS) == 1,
        "list of periods: late": row.late - len(OTHERS) == 1,
        "who has not filed, CSV: due": LEI in {each["lei"] for each in table},
        "who has not filed: due": LEI in {each.institution.lei for each, *_ in page},
        "season: counts": season["filings"].expected - len(OTHERS) == 1,
        "season: due": season["filings"].missing - len(OTHERS) == 1,
        "reminders: due": LEI in {line.institution.lei for line in plan.lines},
        "clock: counts": public["expected"] - len(OTHERS) == 1,
    }


def require_answer(answers: dict[str, Any], expected: Answer) -> None:
    """Fail with the readers that answer otherwise."""
    facts = expected._asdict()
    wrong = {
        reader: answer
        for reader, answer in answers.items()
        if answer is not facts[reader.rpartition(": ")[2]]
    }
    assert not wrong, f"expected {expected}, but: {wrong}"


def leave(filing: Filing) -> None:
    """Change nothing."""


def waive(filing: Filing) -> None:
    filing.required = False
    filing.save()


def waive_signed(filing: Filing) -> None:
    waive(filing)
    sign(filing)


def cancel(filing: Filing) -> None:
    filing.status = FilingStatus.CANCELLED
    filing.save()


def extend(filing: Filing) -> None:
    day = day_hours.today() + timedelta(days=30)
    DeadlineExtension.objects.create(
        event=add_event(InstitutionEvent.Kind.EXTENSION),
        lei=LEI,
        year=2024,
        quarter=filing.period.quarter,
        timely_until=day,
        closes=day + timedelta(days=900),
        why="Hurricane Milton",
    )


def end_quarterly_duty(filing: Filing) -> None:
    Institution.objects.filter(lei=LEI).update(quarterly_filer=False)


def absorb(filing: Filing) -> None:
    filing.delete()
    release(is_quarterly=bool(filing.period.quarter))


def file_voluntarily(filing: Filing) -> None:
    """Begin the filing of a quarter that is before the duty to file quarterly."""
    absorb(filing)
    claims = tokens.identity_claims("ann", username="ann", leis=[LEI])
    program = Client(headers={"authorization": f"Bearer {tokens.issue_token(claims, seconds=600)}"})
    answer = program.post(f"/v2/filing/institutions/{LEI}/filings/2024/quarter/{QUARTER}")
    assert answer.status_code == 200, answer.content


def add_event(kind: str) -> InstitutionEvent:
    return InstitutionEvent.objects.create(
        kind=kind, lei=LEI, effective_on=date(2024, 1, 1), reason=WHY
    )


def release(*, is_quarterly: bool) -> None:
    kind = InstitutionEvent.Kind.QUARTERLY if is_quarterly else InstitutionEvent.Kind.CLOSING
    add_event(kind).releases.create(
        lei=LEI, is_quarterly=is_quarterly, first_day=date(2024, 1, 1), last_day=None
    )


@pytest.mark.parametrize(
    ("period", "change", "expected"),
    [
        ("", leave, OWED),
        ("", waive, NOTHING),
        ("", waive_signed, NOTHING._replace(counts=True)),
        ("", sign, OWED._replace(due=False, late=False)),
        ("", cancel, NOTHING),
        ("", extend, OWED._replace(late=False)),
        ("", absorb, NOTHING),
        (QUARTER, leave, OWED),
        (QUARTER, waive, NOTHING),
        (QUARTER, end_quarterly_duty, NOTHING),
        (QUARTER, absorb, NOTHING),
        (QUARTER, file_voluntarily, NOTHING),
    ],
    indirect=["period"],
)
def test_every_reader_answers_the_same(
    filing: Filing,
    period: FilingPeriod,
    change: Callable[[Filing], None],
    expected: Answer,
    admin_client: Client,
) -> None:
    change(filing)
    answers = read_filer_answers(period) | read_staff_answers(admin_client, period)
    # The list of periods counts signed filings by the day of the first signature, which is today.
    answers.pop("list of periods: late" if change in (sign, waive_signed) else "", None)
    require_answer(answers, expected)


def import_panel(staff: Client) -> None:
    columns = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
    row = f"2024,{LEI},Late Bank,12-3456789,9,late.example,true"
    file = SimpleUploadedFile("panel.csv", f"{columns}\n{row}\n".encode())
    preview = staff.post(reverse("admin:filing_institution_import"), {"file": file})
    confirm = reverse("admin:filing_institution_process_import")
    ticket = preview.context["form"]["ticket"].value()
    sent = {"ticket": ticket, "digest": preview.context["digest"], "reason": WHY}
    assert staff.post(confirm, sent).status_code == 302


def carry_over(staff: Client) -> None:
    add_institution(LEI, activity_year=2023)
    page = reverse("admin:filing_institution_carry")
    years = {"from_year": "2023", "to_year": "2024", "states": ""}
    digest = staff.post(page, years).context["digest"]
    assert staff.post(page, years | {"digest": digest, "reason": WHY}).status_code == 302


def add_by_form(staff: Client) -> None:
    fields = TYPED | {"lei": LEI, "activity_year": "2024", "quarterly_filer": "on"}
    assert staff.post(reverse("admin:filing_institution_add"), fields).status_code == 302


def add_by_program(staff: Client) -> None:
    body = {"activityYear": 2024, "lei": LEI, "agency": 9, "respondent": {"name": "Late Bank"}}
    answer = caller_with("hmda-admin").post(
        "/v2/admin/institutions",
        body | {"quarterlyFiler": True, "reason": WHY},
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content


def become_quarterly(staff: Client) -> None:
    add_institution(LEI, quarterly_filer=False)
    body = {"activityYear": 2024, "lei": LEI, "quarterlyFiler": True, "reason": WHY}
    answer = caller_with("hmda-admin").put(
        "/v2/admin/institutions", body, content_type="application/json"
    )
    assert answer.status_code == 202, answer.content


@pytest.mark.parametrize(
    ("period", "enter"),
    [
        ("", import_panel),
        ("", carry_over),
        ("", add_by_form),
        ("", add_by_program),
        (QUARTER, import_panel),
        (QUARTER, become_quarterly),
    ],
    indirect=["period"],
)
def test_whoever_comes_after_the_opening_owes_for_everyone(
    period: FilingPeriod, others: object, enter: Callable[[Client], None], admin_client: Client
) -> None:
    enter(admin_client)
    answers = read_filer_answers(period) | read_staff_answers(admin_client, period)
    require_answer(answers, OWED)
    assert Filing.objects.filter(institution__lei=LEI).count() == 1


def test_a_closed_period_is_not_owed_by_whoever_comes_later(
    period: FilingPeriod, others: object, admin_client: Client
) -> None:
    FilingPeriod.objects.update(closes=day_hours.today() - timedelta(days=1))
    add_by_form(admin_client)
    assert not Filing.objects.filter(institution__lei=LEI).exists()
    answers = read_filer_answers(period)
    answers.pop("list of many: due")  # the others are closed, too
    require_answer(answers, NOTHING)


def test_sql_and_python_decide_the_same(institution: Institution, period: FilingPeriod) -> None:
    """Every combination of what decides it, in both."""
    quarter = FilingPeriod.objects.create(
        year=2024,
        quarter=QUARTER,
        **{name: getattr(period, name) for name in ("opens", "timely_until", "closes")},
    )
    annual = add_institution("529900ANNUALBANK0001", quarterly_filer=False)
    of = [(bank, each) for bank in (institution, annual) for each in (period, quarter)]
    for status in FilingStatus:
        for is_required in (True, False):
            Filing.objects.all().delete()
            Filing.objects.bulk_create(
                Filing(institution=bank, period=each, status=status, required=is_required)
                for bank, each in of
            )
            filings = Filing.objects.select_related("institution", "period")
            assert set(filings.filter(duties.match_due())) == {
                filing for filing in filings if duties.is_due(filing)
            }
            records = Institution.objects.filter(activity_year=2024)
            releases = duties.read_releases([bank.lei for bank in records])
            for each in (period, quarter):
                assert set(records.filter(duties.match_owing(each.period))) == {
                    record for record in records if releases.owes(record, each.period)
                }

"""The public web page that computes rate spreads, for one loan or for a file of loans."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.generic import View

from filing.api.public import answer_csv_file
from filing.errors import Refusal
from filing.pages import tool_pages
from filing.pages.tool_pages import UploadPage
from ratespread import apor, calculator
from ratespread.apor import AporTables
from ratespread.forms import RateSpreadForm
from ratespread.models import AporKind, AporTable

API = "/public/rateSpread"
LOAN = {
    "actionTakenType": 1,
    "loanTerm": 30,
    "amortizationType": "FixedRate",
    "apr": 6.0,
    "lockInDate": "2023-11-20",
    "reverseMortgage": 2,
}
RECENT_WEEKS = 10
# The columns of the table of recent weeks: kind, term and heading.
COLUMNS = (
    (AporKind.FIXED, 15, "Fixed, 15 years"),
    (AporKind.FIXED, 30, "Fixed, 30 years"),
    (AporKind.VARIABLE, 5, "Variable, 5 years"),
    (AporKind.VARIABLE, 10, "Variable, 10 years"),
)


class RateSpreadPage(View):
    """The base of the page, with or without an answer."""

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        tables = list(apor.annotate_newest_week(AporTable.objects.select_related("load")))
        old = [table for table in tables if table.newest and apor.is_table_old(table.newest)]
        context = {
            "form": RateSpreadForm(),
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "tables": [table for table in tables if table.load],
            "is_demo": any(table.load and table.load.is_demo for table in tables),
            "old_tables": old,
            "columns": ["Week of", *(label for _, _, label in COLUMNS)],
            "weeks": _recent(apor.read_current_tables()),
            "one_call": tool_pages.build_post_examples(API, LOAN),
            "list_call": tool_pages.build_upload_examples(
                f"{API}/csv", sent="loans.csv", saved="rate-spreads.csv"
            ),
            **more,
        }
        return render(self.request, "ratespread/rate_spread.html", context, status=status)


class LoanRateSpreadPage(RateSpreadPage):
    """The page, with the answer for one loan."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        form = RateSpreadForm(request.POST)
        if not form.is_valid():
            return self.page(status=400, form=form)
        try:
            answer = calculator.compute_rate_spread(form.loan(), apor.read_current_tables())
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.page(status=refusal.status, form=form)
        return self.page(form=form, answer=answer)


class FileRateSpreadPage(RateSpreadPage, UploadPage):
    """The upload of a file of loans, answered with a file for spreadsheets named after it."""

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        pieces = partial(
            calculator.answer_file, apor=apor.read_current_tables(), for_spreadsheet=True
        )
        return answer_csv_file(
            request, pieces, name=lambda sent: f"calculated-{sent or 'loans.csv'}"
        )


def _recent(tables: AporTables) -> list[list[str]]:
    """Return the newest weeks, newest first: the Monday, and the rates of each column."""
    rows: list[list[str]] = []
    for number in range(tables.count - 1, -1, -1):
        weeks = {kind: tables.week(kind, number) for kind in AporKind}
        rates = [
            week.rates[term - 1] if (week := weeks[kind]) else "none" for kind, term, _ in COLUMNS
        ]
        if any(weeks.values()):
            rows.append([str(tables.first + timedelta(days=7 * number)), *rates])
        if len(rows) == RECENT_WEEKS:
            break
    return rows

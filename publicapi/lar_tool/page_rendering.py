"""Renders the pages of the LAR tool: whole, or for their script only the step that changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from filing import access
from filing.lar.years import unsettled_years
from filing.pages import call_examples
from filing.submissions import overview
from publicapi.forms import newest_year
from publicapi.lar_tool import page_contents
from publicapi.lar_tool.page_forms import MATCHING, State

API = "/v2/public/lar"
STEPS = ("bring", "columns", "result")
TITLES = {"bring": "Choose a file", "columns": "Match the columns", "result": "Result"}


def page(
    request: HttpRequest,
    step: str,
    state: State,
    *,
    status: int = 200,
    refusal: str = "",
    warning: str = "",
    **more: Any,
) -> HttpResponse:
    """Return a step of the tool. more: what came of the file, if it was read."""
    live = "HX-Request" in request.headers
    context = {
        "step": step,
        "step_template": f"publicapi/lar_tool/{step}.html",
        "number": STEPS.index(step) + 1,
        "steps": len(STEPS),
        "step_title": TITLES[step],
        "state": state,
        "form": state.period_form,
        "live": live,
        "refusal": refusal,
        "warning": warning,
        "limit": settings.PUBLIC_UPLOAD_LIMIT,
        "rows": settings.SPREADSHEET_ROWS,
        "shown": page_contents.SHOWN,
        **_of_step(request, step, state, more),
        **more,
    }
    if live:
        return render(request, "publicapi/lar_tool/step.html", context)
    context["calls"] = call_examples.upload_file(
        f"{API}/convert?year={newest_year()}", sent="loans.xlsx", saved="report.json"
    )
    return render(request, "publicapi/lar_tool/tool.html", context, status=status)


def editor_addresses() -> str:
    """Return the addresses that the row editor calls, as JSON."""
    names = {"fields": "lar-fields", "convert": "lar-convert", "edits": "edits"}
    addresses = {key: reverse(f"publicapi:{name}").rstrip("/") for key, name in names.items()}
    lines = {key: f"/v2/public/{key}/validate" for key in ("ts", "lar")}
    return json.dumps({**addresses, **lines})


def _of_step(
    request: HttpRequest, step: str, state: State, more: Mapping[str, Any]
) -> dict[str, Any]:
    if step == "bring":
        beta = [rules for rules in unsettled_years() if rules.is_beta]
        return {"template_year": newest_year(), "beta_years": beta}
    if step == "columns":
        matching = more.get("matching") or state.matching
        columns = page_contents.column_rows(matching, state)
        return {
            "matching": matching,
            "matching_name": MATCHING,
            "matching_json": page_contents.matching_json(matching),
            "columns": columns,
            "columns_summary": page_contents.summary(columns),
            "attention": [column for column in columns if column.needs_attention],
            "sections": page_contents.missing(matching, state),
            "sheet": page_contents.sheet_entries(matching, more.get("found", {}), state),
            "wishes_form": state.wishes_form,
        }
    user = cast(User, request.user)
    return {"filings": filings(user) if user.is_authenticated else []}


def filings(user: User) -> list[dict[str, str]]:
    """Return the filings of a user that accept a file now, each with the value of its choice."""
    dues = overview.of_institutions(access.leis_of(access.caller_of(user)))
    return [
        {
            "value": f"{due.institution.lei}/{due.period.period}",
            "label": f"{due.institution.name} ({due.institution.lei}), {due.period.period}",
        }
        for due in dues
        if due.is_open and not due.is_cancelled
    ]

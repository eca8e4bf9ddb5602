"""Staff prepare a year as a copy, open it step by step, and change the rules that it runs."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from filing.lar.years import RULEBOOKS, YearStage
from filing.models import (
    AuditEvent,
    FilingYear,
    Institution,
    ReferenceData,
    TrailEntry,
    WithdrawnEdit,
)
from filing.seasons import usual_windows
from tests.conftest import LEI
from tests.filing.admin.change_forms import fields_of
from tests.filing.admin.queries import MOST_QUERIES, queries_of
from tests.filing.restored import restore_period

pytestmark = pytest.mark.django_db
LAST = RULEBOOKS[-1]
NEXT, AFTER = LAST + 1, LAST + 2
WHY = {"reason": "Before the season."}
LIST, ADD = reverse("admin:filing_filingyear_changelist"), reverse("admin:filing_filingyear_add")
WITHDRAW = reverse("admin:filing_withdrawnedit_add")


def page_of(year: int) -> str:
    return reverse("admin:filing_filingyear_change", args=[year])


def rules_of(year: int) -> str:
    return reverse("admin:filing_filingyear_rulebook", args=[year])


def year(number: int = NEXT) -> FilingYear:
    return FilingYear.objects.get(pk=number)


def events() -> list[str]:
    return list(TrailEntry.objects.order_by("pk").values_list("event", flat=True))


# --- prepare and change


def test_the_form_of_a_new_year_is_a_copy_of_the_year_before(operator):
    ReferenceData.objects.create(kind="census", year=NEXT, rows=1, sha256="0" * 64, active=True)
    form = operator.get(ADD)
    differing = [each.name for each in form.context["settings"] if each.differs]
    assert differing == ["census_year"]
    sent = fields_of(form)
    assert (sent["year"], sent["census_year"]) == (AFTER, NEXT)
    assert sent["limits_year"] == year().limits_year
    answer = operator.post(ADD, sent | WHY | {"asset_threshold": 61_000_000})
    assert answer.status_code == 302
    saved = year(AFTER)
    assert (saved.stage, saved.rulebook) == (YearStage.DRAFT, LAST)
    assert (saved.census_year, saved.asset_threshold) == (NEXT, 61_000_000)
    assert events() == [AuditEvent.YEAR_PREPARED]


def test_a_year_that_cannot_be_prepared_is_refused_at_its_field(operator):
    for sent, wrong in [
        ({"year": NEXT}, {"year"}),
        ({"year": AFTER + 1}, {"year"}),
        ({"census_year": AFTER, "names_year": 1990}, {"census_year", "names_year"}),
        ({"asset_threshold": "many"}, {"asset_threshold"}),
        ({"reason": ""}, {"reason"}),
    ]:
        answer = operator.post(ADD, fields_of(operator, ADD) | WHY | sent)
        assert set(answer.context["adminform"].form.errors) == wrong
        assert not FilingYear.objects.filter(pk__gt=NEXT).exists()


def test_settings_are_changed_with_a_reason_and_the_rules_are_not_in_the_form(operator):
    sent = fields_of(operator, page_of(NEXT))
    changes = {"asset_threshold": 60_000_000, "rulebook": 2018, "stage": 3, "year": 2031}
    assert operator.post(page_of(NEXT), sent | WHY | changes).status_code == 302
    saved = year()
    assert (saved.asset_threshold, saved.rulebook, saved.stage) == (
        60_000_000,
        LAST,
        YearStage.CHECKS,
    )
    assert events() == [AuditEvent.YEAR_CHANGED]
    answer = operator.post(page_of(NEXT), fields_of(operator, page_of(NEXT)) | {"reason": ""})
    assert set(answer.context["adminform"].form.errors) == {"reason"}
    answer = operator.post(
        page_of(NEXT), fields_of(operator, page_of(NEXT)) | WHY | {"census_year": NEXT}
    )
    assert set(answer.context["adminform"].form.errors) == {"census_year"}


def test_the_page_has_the_days_the_data_and_newer_data_that_could_stand_in(operator):
    for each in (LAST - 1, LAST):
        ReferenceData.objects.create(kind="census", year=each, rows=1, sha256="0" * 64, active=True)
    FilingYear.objects.filter(pk=NEXT).update(census_year=LAST - 1)
    day = date(NEXT, 4, 2)
    opened = restore_period(NEXT, "Q1", opens=day, timely_until=day, closes=day)
    shown = operator.get(page_of(NEXT)).context
    days = {each.period.quarter_name: each for each in shown["days"]}
    assert {name: each.opened for name, each in days.items() if each.opened} == {"Q1": opened}
    assert days["Q1"].days.opens == day
    assert days["Q1"].difference
    assert days["Q2"].days == usual_windows(NEXT)["Q2"]
    (census, newer), *_ = shown["files"]
    assert (census.own, census.stands_in.year, newer) == (None, LAST - 1, LAST)


# --- stages and rules


def act(client: Client, model: str, action: str, key: int, reason: str = "Now.") -> Any:
    address = reverse(f"admin:filing_{model}_{action}")
    preview = client.get(address, {"pk": key}, follow=True)
    sent = {"chosen": preview.context.get("chosen", "{}"), "reason": reason}
    return client.post(address, sent, follow=True)


def test_the_page_offers_the_stages_to_move_to(operator):
    for stage, offered in [
        (YearStage.DRAFT, {YearStage.CHECKS}),
        (YearStage.CHECKS, {YearStage.DRAFT, YearStage.FILING}),
        (YearStage.FILING, {YearStage.DRAFT, YearStage.CHECKS}),
    ]:
        FilingYear.objects.filter(pk=NEXT).update(stage=stage)
        links = {each["address"] for each in operator.get(page_of(NEXT)).context["staff_actions"]}
        names = {each: reverse(f"admin:filing_filingyear_{each.label}") for each in YearStage}
        assert links == {f"{names[each]}?pk={NEXT}" for each in offered}


def test_a_stage_is_moved_with_a_reason(operator):
    act(operator, "filingyear", "filing", NEXT, reason="")
    assert (year().stage, events()) == (YearStage.CHECKS, [])
    act(operator, "filingyear", "filing", NEXT)
    assert (year().stage, events()) == (YearStage.FILING, [AuditEvent.YEAR_CHANGED])
    act(operator, "filingyear", "draft", NEXT)
    assert year().stage == YearStage.DRAFT


def test_another_rulebook_is_run_after_a_preview_of_the_edits(operator):
    shown = operator.get(rules_of(NEXT), {"rulebook": LAST - 1}).context
    assert {edit.code: edit.verb for edit in shown["changes"].edits} == {
        "Q621": "added",
        "V695-3": "changed",
    }
    sent = {"rulebook": LAST - 1, "digest": shown["digest"]}
    assert operator.post(rules_of(NEXT), sent).context["form"].errors.keys() == {"reason"}
    assert year().rulebook == LAST
    assert operator.post(rules_of(NEXT), sent | WHY).status_code == 302
    assert year().rulebook == LAST - 1
    assert events() == [AuditEvent.YEAR_CHANGED]


def test_rules_that_cannot_be_run_or_were_not_previewed_are_refused(operator):
    for sent in [{"rulebook": NEXT}, {"rulebook": 2020}, {"rulebook": LAST - 1}]:
        operator.post(rules_of(NEXT), sent | WHY)
        assert (year().rulebook, events()) == (LAST, [])


def test_the_first_year_has_no_other_rules(operator):
    assert operator.get(rules_of(RULEBOOKS[0])).context["choices"] == []


# --- withdrawals


@pytest.mark.servers
def test_an_edit_is_withdrawn_and_put_back(operator):
    form = operator.get(WITHDRAW, {"filing_year": NEXT})
    sent = fields_of(form) | {"reason": "It is wrong.", "code": "v695-3"}
    assert str(sent["filing_year"]) == str(NEXT)
    assert operator.post(WITHDRAW, sent).status_code == 302
    withdrawn = WithdrawnEdit.objects.get()
    assert (withdrawn.code, withdrawn.withdrawn_by) == ("V695-3", "operator")
    again = operator.post(WITHDRAW, sent)
    assert set(again.context["adminform"].form.errors) == {"code"}
    act(operator, "withdrawnedit", "put_back", withdrawn.pk)
    withdrawn.refresh_from_db()
    assert withdrawn.put_back_at
    assert events() == [AuditEvent.EDIT_WITHDRAWN, AuditEvent.EDIT_PUT_BACK]
    assert operator.post(WITHDRAW, sent).status_code == 302


def test_an_edit_that_cannot_be_withdrawn_is_refused_at_its_field(operator):
    for changes, wrong in [
        ({"code": "Q621"}, {"code"}),
        ({"code": ""}, {"code"}),
        ({"since": "soon"}, {"since"}),
        ({"reason": ""}, {"reason"}),
        ({"reason": "x" * 151}, {"reason"}),
        ({"filing_year": 1990}, {"filing_year"}),
    ]:
        sent = {"filing_year": NEXT, "code": "Q600", "since": "2027-01-04", "reason": "Wrong."}
        answer = operator.post(WITHDRAW, sent | changes)
        assert set(answer.context["adminform"].form.errors) == wrong
        assert not WithdrawnEdit.objects.exists()


# --- who, and how it is found


def test_no_page_of_years_takes_many_queries(operator):
    for address in (LIST, ADD, page_of(NEXT), rules_of(NEXT), WITHDRAW):
        assert queries_of(operator, address) <= MOST_QUERIES, address


def test_a_year_leads_to_what_belongs_to_it_and_back(operator):
    day = date(NEXT, 4, 2)
    rows = [
        restore_period(NEXT, opens=day, timely_until=day, closes=day),
        Institution.objects.create(activity_year=NEXT, lei=LEI, agency=9),
        ReferenceData.objects.create(kind="census", year=NEXT, rows=1, sha256="0" * 64),
        WithdrawnEdit.objects.create(filing_year=year(), code="Q600", since=day, reason="Wrong."),
    ]
    lists = {link.page: link.address for link in operator.get(page_of(NEXT)).context["page_links"]}
    for row in rows:
        name = f"filing_{row._meta.model_name}"
        assert row in operator.get(lists[f"{name}_changelist"]).context["cl"].result_list
        page = operator.get(reverse(f"admin:{name}_change", args=[row.pk]))
        assert page_of(NEXT) in [link.address for link in page.context["page_links"]], name

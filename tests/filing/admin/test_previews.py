"""What a preview has shown is what its confirmation does; what has changed is shown again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from databrowser.models import Version
from filing import seasons
from filing.access import SERVICE, Caller
from filing.demo.census import write_census
from filing.jobs import loop
from filing.lar.years import RULEBOOKS
from filing.models import (
    AuditEvent,
    Delegation,
    Filing,
    FilingYear,
    Institution,
    InstitutionEvent,
    Mail,
    Organization,
    PanelImport,
    RecordProposal,
    ReferenceData,
    RemindedInstitution,
    Reminder,
    SeasonOpening,
    Submission,
    TrailEntry,
)
from filing.panel import proposals
from filing.reference_data import loading
from filing.statuses import Status
from ratespread.loading import load_apor_table, read_apor_table
from ratespread.models import AporKind, AporLoad
from tests import make
from tests.databrowser.publication.public_files import sign
from tests.filing.admin.previewing import confirm, read_confirmation
from tests.filing.panel.bad_panel import as_csv, lines
from tests.ratespread.conftest import FIRST, SECOND, level, text

pytestmark = pytest.mark.django_db
WHY = "Agreed on the phone."
OTHER, THIRD = "529900OTHERBANK00017", "529900THIRDBANK00017"


@dataclass(frozen=True)
class PreviewFlow:
    """A preview, a change of the world that it shows, and whether its act was done."""

    show: Callable[[], Any]
    change: Callable[[], object]
    is_done: Callable[[], bool]


def address(page: str, *keys: object) -> str:
    return reverse(f"admin:{page}", args=keys)


def add_bank(lei: str = OTHER, **facts: Any) -> Institution:
    return make.institution(lei, **{"name": f"Bank {lei[6:11]}"} | facts)


def add_person(name: str, *leis: str) -> User:
    user = make.user(name)
    for lei in leis:
        make.member(user, lei)
    return user


def owe(lei: str, person: str) -> None:
    add_bank(lei)
    make.filing(lei)
    add_person(person, lei)


def post(client: Client, page: str, fields: dict[str, Any]) -> Callable[[], Any]:
    return lambda: client.post(page, fields)


def remind(client: Client) -> PreviewFlow:
    owe(OTHER, "ann")
    fields = {"period": "2024", "all": "1", "text": "Please file."}
    page = address("filing_reminder_write")
    return PreviewFlow(
        post(client, page, fields), lambda: owe(THIRD, "bob"), Reminder.objects.exists
    )


def open_season(client: Client) -> PreviewFlow:
    window = seasons.usual_windows(2024)[""]
    days = {f"annual_{day}": str(value) for day, value in window._asdict().items()}
    page = address("filing_seasonopening_open")
    loading.load_with_reason(
        "census", 2024, write_census(2024).encode(), source="census.txt", by=SERVICE
    )
    return PreviewFlow(
        post(client, page, {"year": "2024", "annual_chosen": "on", **days}),
        add_bank,
        SeasonOpening.objects.exists,
    )


def undo_opening(client: Client) -> PreviewFlow:
    add_bank()
    seasons.open_season(2024, quarters=False, force=True, by=SERVICE)
    page, opening = address("filing_seasonopening_undo"), SeasonOpening.objects.get()
    return PreviewFlow(
        lambda: client.get(page, {"pk": opening.pk}),
        lambda: Filing.objects.filter(institution__lei=OTHER).delete(),
        SeasonOpening.objects.exclude(undone_at=None).exists,
    )


def load_census(source: str, *, tracts: int) -> None:
    text = "\n".join(write_census(2024).splitlines()[: tracts + 1])
    loading.load_with_reason("census", 2024, text.encode(), source=source, by=SERVICE)


def load_reference_data(client: Client) -> PreviewFlow:
    load_census("before.txt", tracts=9)
    page = address("filing_referencedata_load")
    return PreviewFlow(
        lambda: client.post(
            page,
            {
                "kind": "census",
                "year": 2024,
                "file": SimpleUploadedFile("own.txt", write_census(2024).encode()),
            },
        ),
        lambda: load_census("meanwhile.txt", tracts=8),
        ReferenceData.objects.filter(source="own.txt").exists,
    )


def restore_reference_data(client: Client) -> PreviewFlow:
    load_census("old.txt", tracts=9)
    load_census("new.txt", tracts=8)
    old = ReferenceData.objects.get(source="old.txt")
    return PreviewFlow(
        lambda: client.get(address("filing_referencedata_restore", old.pk)),
        lambda: load_census("meanwhile.txt", tracts=7),
        ReferenceData.objects.filter(source="old.txt", active=True).exists,
    )


def load_apor(client: Client) -> PreviewFlow:
    own = text(AporKind.FIXED, {FIRST: level("3.75"), SECOND: level("3.25")})
    table = read_apor_table(
        text(AporKind.FIXED, {FIRST: level("3.5")}), kind=AporKind.FIXED, source="meanwhile.txt"
    )
    return PreviewFlow(
        lambda: client.post(
            address("ratespread_aporload_add"), {"file": SimpleUploadedFile("fixed.txt", own)}
        ),
        lambda: load_apor_table(table, by="refresh"),
        AporLoad.objects.filter(source="fixed.txt").exists,
    )


def import_panel(client: Client) -> PreviewFlow:
    rows = lines([])
    return PreviewFlow(
        lambda: client.post(
            address("filing_institution_import"),
            {"file": SimpleUploadedFile("panel.csv", as_csv(rows))},
        ),
        lambda: add_bank(rows[1][rows[0].index("lei")], name="Early Bank"),
        PanelImport.objects.exists,
    )


def carry_panel(client: Client) -> PreviewFlow:
    add_bank()
    fields = {"from_year": "2024", "to_year": "2025", "states": ""}
    return PreviewFlow(
        post(client, address("filing_institution_carry"), fields),
        lambda: add_bank(THIRD),
        Institution.objects.filter(activity_year=2025).exists,
    )


def record_event(client: Client) -> PreviewFlow:
    bank = add_bank()
    page = f"{address('filing_institution_event')}?pk={bank.pk}&kind=name"
    return PreviewFlow(
        post(client, page, {"name": "Prairie Trust", "effective_on": "2024-03-01"}),
        lambda: Institution.objects.update(name="Prairie Savings"),
        InstitutionEvent.objects.exists,
    )


def correct_proposal(client: Client) -> PreviewFlow:
    bank = add_bank(tax_id="12-3456789", email_domains=["bank.example"])
    ann = add_person("ann", OTHER)
    by = Caller(id=str(ann.pk), username="ann", email=ann.email, user_key=ann.pk)
    proposal = proposals.propose_change(
        OTHER, 2024, {"tax_id": "98-7654321"}, reason="A typo.", by=by, user=ann
    )
    return PreviewFlow(
        post(
            client,
            address("filing_recordproposal_correct", proposal.pk),
            {"tax_id": "98-7654320"},
        ),
        lambda: Institution.objects.filter(pk=bank.pk).update(tax_id="11-1111111"),
        RecordProposal.objects.exclude(answered_at=None).exists,
    )


def remove_filings(client: Client) -> PreviewFlow:
    owe(OTHER, "ann")
    owe(THIRD, "bob")
    page, keys = address("filing_filing_remove"), list(Filing.objects.values_list("pk", flat=True))
    return PreviewFlow(
        lambda: client.get(page, {"pk": keys}),
        lambda: Filing.objects.filter(institution__lei=THIRD).delete(),
        lambda: not Filing.objects.exists(),
    )


def delete_row(client: Client) -> PreviewFlow:
    bank = add_bank()
    return PreviewFlow(
        lambda: client.get(address("filing_institution_delete", bank.pk)),
        lambda: Institution.objects.update(name="Harbor Bank"),
        lambda: not Institution.objects.exists(),
    )


def build_data_set(client: Client) -> PreviewFlow:
    sign(OTHER, {"income": "1"})
    return PreviewFlow(
        lambda: client.get(address("databrowser_version_build"), {"year": "2023"}),
        lambda: sign(THIRD, {"income": "2"}),
        Version.objects.exists,
    )


def switch_rulebook(client: Client) -> PreviewFlow:
    last = RULEBOOKS[-1]

    def check_file() -> None:
        make.submission(make.filing(OTHER, year=last), edits_folder="x")

    return PreviewFlow(
        lambda: client.get(address("filing_filingyear_rulebook", last), {"rulebook": last - 1}),
        check_file,
        FilingYear.objects.filter(year=last, rulebook=last - 1).exists,
    )


def stop_submission(client: Client) -> PreviewFlow:
    owe(OTHER, "ann")
    submission = make.submission(Filing.objects.get())
    same = Submission.objects.filter(pk=submission.pk)
    return PreviewFlow(
        lambda: client.get(address("filing_submission_stop"), {"pk": submission.pk}),
        lambda: same.update(status=Status.UPLOADED),
        same.filter(status=Status.FAILED).exists,
    )


def end_organization(client: Client) -> PreviewFlow:
    vendor = Organization.objects.create(name="Vendor", code="VENDOR")
    return PreviewFlow(
        lambda: client.get(address("filing_organization_end"), {"pk": vendor.pk}),
        lambda: Delegation.objects.create(organization=vendor, lei=OTHER),
        Organization.objects.exclude(ended_at=None).exists,
    )


FLOWS = (
    *(remind, open_season, undo_opening, load_reference_data, restore_reference_data, load_apor),
    *(import_panel, carry_panel, record_event, correct_proposal, remove_filings, delete_row),
    *(build_data_set, switch_rulebook, stop_submission, end_organization),
)


@pytest.mark.servers
@pytest.mark.parametrize("begin", FLOWS, ids=lambda begin: begin.__name__)
def test_what_has_changed_since_the_preview_is_shown_again_and_done_once_confirmed(
    begin: Callable[[Client], PreviewFlow], admin_client: Client
) -> None:
    flow = begin(admin_client)
    preview = flow.show()
    flow.change()
    again = confirm(admin_client, preview, reason=WHY)
    assert not flow.is_done()
    assert again.status_code == 200
    if begin is not delete_row:  # its page is loaded again
        assert read_confirmation(again)[1]["reason"] == [WHY]
    done = confirm(admin_client, again, reason=WHY)
    assert done.status_code == 200
    assert flow.is_done()


def test_of_many_objects_only_those_that_changed_are_shown_again(
    admin_client: Client, filing: Filing
) -> None:
    first, second = (make.submission(filing) for _ in range(2))
    page = address("filing_submission_stop")
    preview = admin_client.get(page, {"pk": [first.pk, second.pk]})
    Submission.objects.filter(pk=second.pk).update(status=Status.UPLOADED)
    again = confirm(admin_client, preview, reason=WHY)
    assert [line.name for line in again.context["reported"]] == [str(first)]
    assert [line.name for line in again.context["outcomes"]] == [str(second)]
    statuses = dict(Submission.objects.values_list("sequence_number", "status"))
    assert statuses == {1: Status.FAILED, 2: Status.UPLOADED}
    confirm(admin_client, again)
    assert set(Submission.objects.values_list("status", flat=True)) == {Status.FAILED}


def test_a_reminder_goes_to_no_one_besides_those_of_its_preview(admin_client: Client) -> None:
    flow = remind(admin_client)
    confirm(admin_client, flow.show(), reason=WHY)
    add_person("late", OTHER)
    loop.run_job(Reminder.objects.get().job_id)
    assert list(Mail.objects.filter(kind="reminder").values_list("to", flat=True)) == [
        "ann@bank.example"
    ]
    assert RemindedInstitution.objects.get().addresses == ["ann@bank.example"]


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("begin", "event"),
    [
        (remind, AuditEvent.REMINDER_SENT),
        (restore_reference_data, AuditEvent.REFERENCE_DATA_RESTORED),
        (carry_panel, AuditEvent.PANEL_CARRIED_OVER),
        (undo_opening, AuditEvent.SEASON_UNDONE),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_of_two_who_confirm_at_once_one_acts(
    begin: Callable[[Client], PreviewFlow],
    event: AuditEvent,
    admin_client: Client,
    admin_user: User,
) -> None:
    other = make.browser(admin_user)
    preview, start = begin(admin_client).show(), Barrier(2)

    def confirm_at_once(client: Client) -> Any:
        try:
            start.wait()
            return confirm(client, preview, reason=WHY)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(confirm_at_once, (admin_client, other)))
    assert [answer.status_code for answer in answers] == [200, 200]
    assert TrailEntry.objects.filter(event=event).count() == 1

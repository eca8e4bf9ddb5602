"""People of each role, what each role may do, and one row of each table of the admin."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.utils import timezone
from oauth2_provider.models import Application, RefreshToken

from databrowser.models import (
    BoundaryFile,
    Change,
    FreezeDay,
    ModifiedLar,
    Publication,
    PublicImport,
    Version,
)
from filing import audit
from filing.access import ROLES, SERVICE
from filing.audit import verification
from filing.jobs import queue
from filing.models import (
    AccessRequest,
    Announcement,
    AuditEvent,
    Case,
    ChainCheck,
    ColumnHeading,
    Delegation,
    EditResult,
    EntryRemoval,
    Filing,
    FilingPeriod,
    FilingYear,
    Institution,
    InstitutionEvent,
    Invitation,
    Job,
    KeyRotation,
    LegalHold,
    ListExport,
    ListSchedule,
    Mail,
    Membership,
    Note,
    OperatorTask,
    Organization,
    OrganizationMember,
    PanelImport,
    PersonalToken,
    ProducedList,
    ReceiptKey,
    RecordProposal,
    ReferenceData,
    RemindedInstitution,
    Reminder,
    Seal,
    SeasonOpening,
    Signature,
    SignedReceipt,
    StatusChange,
    Submission,
    TrailEntry,
    Webhook,
    WebhookDelivery,
    WithdrawnEdit,
)
from graphs.models import Computation, FactsImport
from ratespread.models import AporKind, AporLoad, AporTable, AporWeek
from tests import make
from tests.conftest import LEI

# What a role may do with the objects of a table: v(iew), a(dd), c(hange), d(elete).
Rights = dict[str, str]
LOOKED_AT: Rights = {"help desk": "v", "operator": "v", "administrator": "v"}
KEPT: Rights = {"help desk": "v", "operator": "vacd", "administrator": "vacd"}
CORRECTED: Rights = {"help desk": "v", "operator": "vac", "administrator": "vac"}
ADDED: Rights = {"help desk": "v", "operator": "va", "administrator": "va"}
RIGHTS: dict[type[Model], Rights] = {
    **dict.fromkeys((Institution, FilingPeriod, Filing, Announcement, ColumnHeading), KEPT),
    **dict.fromkeys((ListSchedule, FreezeDay), KEPT),
    **dict.fromkeys((FilingYear, Organization, Change), CORRECTED),
    **dict.fromkeys((WithdrawnEdit, AporLoad, Computation), ADDED),
    Membership: {"help desk": "v", "operator": "vad", "administrator": "vad"},
    # of a submission, and what is signed of it
    **dict.fromkeys((Submission, StatusChange, Signature, SignedReceipt, EditResult), LOOKED_AT),
    **dict.fromkeys((Job, Mail, Note, ModifiedLar), LOOKED_AT),
    # of the evidence
    **dict.fromkeys((ReceiptKey, ChainCheck, Seal, EntryRemoval, KeyRotation), LOOKED_AT),
    **dict.fromkeys((TrailEntry, LogEntry, OperatorTask), LOOKED_AT),
    # of institutions and seasons
    **dict.fromkeys((InstitutionEvent, LegalHold, PanelImport, RecordProposal), LOOKED_AT),
    **dict.fromkeys((SeasonOpening, Reminder, RemindedInstitution, ReferenceData), LOOKED_AT),
    # of people and their programs
    **dict.fromkeys((OrganizationMember, Delegation, Invitation, AccessRequest, Case), LOOKED_AT),
    **dict.fromkeys((PersonalToken, Webhook, WebhookDelivery, Group), LOOKED_AT),
    # of lists, publications and tables of rates
    **dict.fromkeys((ListExport, ProducedList, BoundaryFile, PublicImport, Version), LOOKED_AT),
    **dict.fromkeys((Publication, AporTable, AporWeek, FactsImport), LOOKED_AT),
    User: {"help desk": "v", "operator": "v", "administrator": "vac"},
    Application: {"help desk": "", "operator": "", "administrator": "vacd"},
    RefreshToken: {"help desk": "", "operator": "", "administrator": "v"},
}


STAFF = [role.group for role in ROLES if role.is_staff]
member, signed_in = make.staff, make.browser  # the names by which others know them


@pytest.fixture
def one_of_each(submission: Submission) -> dict[type[Model], Model]:
    """One object of each table that has pages in the admin."""
    user = User.objects.create(username="ann", email="ann@bank.example")
    client = Application.objects.create(client_id="c", client_type="public", name="A client")
    load = AporLoad.objects.create(kind=AporKind.FIXED, rows=1, added=1, changed=0)
    version = Version.objects.create(year=2024, number=1, job=queue.add_job("publish"))
    made = [
        load,
        version,
        Publication.objects.create(year=2024, version=version, what="published"),
        PublicImport.objects.create(
            year=2024, rows=1, institutions=1, loan_amount=5000, folder="publication/imports/2024/x"
        ),
        BoundaryFile.objects.create(
            kind="county", first_year=2024, last_year=2024, places=1, folder="boundaries/x"
        ),
        AporTable.objects.create(kind=AporKind.FIXED, load=load),
        AporWeek.objects.create(kind=AporKind.FIXED, week=date(2017, 1, 2), rates=["1"], load=load),
        submission,
        submission.filing,
        submission.filing.institution,
        submission.filing.period,
        filing_year := FilingYear.objects.get(pk=2024),
        WithdrawnEdit.objects.create(
            filing_year=filing_year, code="Q600", since=date(2024, 1, 1), reason="It is wrong."
        ),
        StatusChange.objects.first(),
        signature := Signature.objects.create(
            submission=submission, receipt="r", signed_at=timezone.now()
        ),
        key := ReceiptKey.objects.create(kid="k", x="x"),
        SignedReceipt.objects.create(
            signature=signature, key=key, jws="a.b.c", issued_at=timezone.now()
        ),
        EditResult.objects.create(submission=submission, code="Q603", kind="quality", total=1),
        Job.objects.create(submission=submission, stage="parse", state="done"),
        ModifiedLar.objects.create(
            submission=submission, job=Job.objects.create(stage="disclose", state="failed")
        ),
        SeasonOpening.objects.create(year=2024, windows={}, job=queue.add_job("season")),
        Mail.objects.create(
            kind="failure",
            key="k",
            to="ann@bank.example",
            submission=submission,
            job=Job.objects.create(stage="mail"),
        ),
        schedule := ListSchedule.objects.create(kind="panel"),
        ProducedList.objects.create(
            schedule=schedule, day=date(2026, 1, 2), job=queue.add_job("list")
        ),
        reminder := Reminder.objects.create(year=2024, text="File.", job=queue.add_job("reminder")),
        RemindedInstitution.objects.create(reminder=reminder, lei=LEI),
        LegalHold.objects.create(lei=LEI, reason="Matter 2026-17."),
        InstitutionEvent.objects.create(
            kind="closing", lei=LEI, effective_on=date(2024, 5, 15), reason="It closed."
        ),
        OperatorTask.objects.create(kind="verify-log", job=queue.add_job("verify-log")),
        KeyRotation.objects.create(reason="The key leaked."),
        ListExport.objects.create(
            user=user, source="filing.submission", format="csv", job=queue.add_job("export")
        ),
        audit.add_note(submission, by=SERVICE, text="They called."),
        ReferenceData.objects.create(kind="census", year=2024, rows=1, sha256="0" * 64),
        Membership.objects.create(user=user, lei=LEI),
        organization := Organization.objects.create(name="Vendor", code="ORG-7K2M9Q", made_by="v"),
        OrganizationMember.objects.create(organization=organization, user=user),
        Delegation.objects.create(organization=organization, lei=LEI, agreed_by="a"),
        Invitation.objects.create(
            lei=LEI, email="ida@bank.example", expires_at=timezone.now(), sha256="0" * 64
        ),
        AccessRequest.objects.create(user=user, lei=LEI),
        case := Case.objects.create(email="eve@bank.example", institution="Bank", text="Add us."),
        RecordProposal.objects.create(
            case=case, lei=LEI, activity_year=2024, changes={"city": ["", "Springfield"]}
        ),
        Computation.objects.create(job=queue.add_job("graphs")),
        FactsImport.objects.create(year=2023, rows=1, institutions=1, folder="graphs/facts"),
        PanelImport.objects.create(
            file_name="p.csv", sha256="0" * 64, read=1, added=1, changed=0, unchanged=0, skipped=0
        ),
        PersonalToken.objects.create(
            user=user,
            name="nightly",
            start="hmda_pat_abcd",
            leis=[LEI],
            expires_at=timezone.now() + timedelta(days=1),
        ),
        webhook := Webhook.objects.create(lei=LEI, url="https://bank.example/hmda"),
        WebhookDelivery.objects.create(
            webhook=webhook,
            message_id="msg_1",
            type="test",
            body="{}",
            job=queue.add_job("webhook"),
        ),
        TrailEntry.objects.create(event=AuditEvent.SIGNED_IN),
        EntryRemoval.objects.create(table="log", entries=[1, 2], rule="Kept 90 days."),
        verification.verify_chain(),
        Seal.objects.first(),
        Announcement.objects.create(text="Closed."),
        Change.objects.create(
            date=date(2026, 6, 23), type="update", product="tools", title="A guide", slug="guide"
        ),
        FreezeDay.objects.create(year=2024, dataset="snapshot", frozen_on=date(2025, 6, 2)),
        ColumnHeading.objects.create(heading="Our rate", field="interest_rate", source="Us"),
        LogEntry.objects.first(),
        user,
        Group.objects.create(name="others"),
        client,
        RefreshToken.objects.create(user=user, application=client, token="t" * 30),
    ]
    return {type(each): each for each in made}

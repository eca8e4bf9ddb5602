# Run by `manage.py shell` in the service under test: its people, and a row in each table of the
# admin that no filing leaves one in.
from datetime import date, timedelta

from django.contrib.auth.models import Group, User
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, RefreshToken

from config.upkeep import key_rotations, tasks
from databrowser.changes.entries import save_change
from databrowser.demo import publishing
from databrowser.models import BoundaryFile, Change, FreezeDay
from databrowser.publication.builds import builder
from filing import audit, exports
from filing.access import SERVICE, caller_of
from filing.audit import verification
from filing.day_hours import today
from filing.demo import panel
from filing.lists import schedules
from filing.models import (
    AccessRequest,
    Announcement,
    ColumnHeading,
    Delegation,
    EntryRemoval,
    FilingYear,
    Identity,
    Institution,
    InstitutionEvent,
    Job,
    ListSchedule,
    Membership,
    Organization,
    OrganizationMember,
    PanelImport,
    PersonalToken,
    RemindedInstitution,
    Reminder,
    WebhookDelivery,
)
from filing.panel import proposals, records
from filing.people import cases, invitations
from filing.people.invitations import Roles
from filing.periods import legal_holds
from filing.receipts import documents
from filing.seasons import rulebooks
from filing.webhooks import endpoints
from graphs.demo import loading as graphs
from ratespread.demo import loading as rates

PASSWORD = "correct horse 9 battery"
root = User.objects.create_superuser("root", "root@service.example", PASSWORD)
desk = User.objects.create_user("desk", "desk@service.example", PASSWORD, is_staff=True)
desk.groups.add(Group.objects.get(name="help desk"))
filer = User.objects.create_user("ann", "ann@bank1.example", PASSWORD, first_name="Ann")
Membership.objects.create(user=filer, lei="FLOWTEST000000000001")
Identity.objects.create(user=filer, issuer="https://id.example", subject="ann")
vendor = Organization.objects.create(
    name="Prairie Data", code="ORG-7K2M9Q", email_domain="vendor.example", made_by="vera"
)
OrganizationMember.objects.create(organization=vendor, user=filer)
Delegation.objects.create(organization=vendor, lei="FLOWTEST000000000002", agreed_by="bea")
PersonalToken.objects.create(
    user=filer, name="nightly", start="hmda_abcd", sha256="0" * 64,
    leis=["FLOWTEST000000000001"], expires_at=timezone.now() + timedelta(days=30),
)  # fmt: skip
client = Application.objects.create(
    client_id="consent", name="A program", redirect_uris="http://127.0.0.1/",
    client_type="public", authorization_grant_type="authorization-code", algorithm="RS256",
)  # fmt: skip
access = AccessToken.objects.create(
    user=filer, application=client, token="a" * 43, expires=timezone.now() + timedelta(minutes=5)
)
RefreshToken.objects.create(user=filer, application=client, token="r" * 43, access_token=access)
wrong = rulebooks.withdraw_edit(
    FilingYear.objects.get(pk=2018), "Q600", by=caller_of(desk), reason="It is wrong."
)
rulebooks.put_back_edit(wrong, by=caller_of(desk), reason="It was right.")
save_change(Change(date=today(), type="update", product="tools", title="A new guide"))
FreezeDay.objects.create(
    year=2024, dataset="snapshot", frozen_on=date(2025, 5, 19), actor_username="root",
    reason="Many resubmitted in May.",
)  # fmt: skip
# Of no state, so that no map shows it.
BoundaryFile.objects.create(
    kind="tract", first_year=2024, last_year=2024, places=1, source="cb_2024_us_tract_500k.zip",
    sha256="0" * 64, folder="boundaries/x", loaded_by="root",
)  # fmt: skip
ColumnHeading.objects.create(heading="Our note rate", field="interest_rate", source="Lender X")
Announcement.objects.create(level="warning", text="Loan limits of 2025 were corrected.")
PanelImport.objects.create(
    file_name="panel.csv", sha256="0" * 64, read=1, added=0, changed=0, unchanged=0, skipped=1,
    reason="A new panel.", details={"skipped": [[2, ["lei: 'x' is not an LEI"]]]},
)  # fmt: skip
cases.open_case(
    email="bea@bank2.example", name="Bea", lei="FLOWTEST000000000002", institution="Bank 2",
    text="No institution has our domain, bank2.example. Please add it.", user=None,
)  # fmt: skip
inviting = Membership.objects.create(
    user=filer, lei="FLOWTEST000000000002", administrator_since=timezone.now()
)
invitations.invite_person(
    "ida@bank2.example", Roles(is_preparer=True), by=caller_of(filer), lei="FLOWTEST000000000002",
)  # fmt: skip
inviting.delete()
AccessRequest.objects.create(user=filer, lei="FLOWTEST000000000002")
newest = records.find_institution("FLOWTEST000000000001")
proposals.propose_change(
    newest.lei, newest.activity_year, {"tax_id": "98-7654321"}, reason="A new TIN since May.",
    by=caller_of(filer), user=filer,
)  # fmt: skip
audit.add_note(filer, by=caller_of(desk), text="Called on Monday: the file of 2025 comes late.")
rates.load_demo_rates(by="tests")
filers = [each["lei"] for each in panel.make_institutions() if each["quarterly_filer"]]
held = Institution.objects.create(
    activity_year=2020, lei=filers[0], agency=9, quarterly_filer=True
)  # fmt: skip
InstitutionEvent.objects.create(
    kind="name", lei="FLOWTEST000000000003", effective_on=date(2024, 3, 1),
    reason="Letter of May 2.",
    facts={
        "name": "Bank of the Prairie", "former_name": "Prairie Bank", "emails": 1,
        "report": [["Panel records", "Panel of 2024", "Name: Prairie Bank → Bank of the Prairie"]],
    },
    **caller_of(desk).actor_columns,
)  # fmt: skip
legal_holds.hold_institution(held, by=caller_of(desk), reason="Matter 2026-17.")
graphs.load_demo_graphs(2020, by="tests")
publishing.publish_demo(rows=6_000, years=(2021, 2022), by=SERVICE)
builder.build_year(2022, by=SERVICE, reason="It is frozen.", dataset="snapshot")
exports.request_export("filing.filing", user=root, reason="For the weekly meeting.")
tasks.request_task("verify-log", by=caller_of(root), reason="Before the season opens.")
schedules.run_now(
    ListSchedule.objects.create(kind="panel"), by=caller_of(root), reason="For the examiners."
)
reminder = Reminder.objects.create(
    year=2025, text="Please file.", emails=1, reason="The deadline is near.",
    job=Job.objects.create(stage="reminder", state="done", large=False),
    **caller_of(root).actor_columns,
)  # fmt: skip
RemindedInstitution.objects.create(
    reminder=reminder, lei="FLOWTEST000000000002", at=reminder.at, outcome="sent",
    addresses=["bea@bank2.example"],
)  # fmt: skip
key_rotations.request_rotation(by=caller_of(root), reason="The key is a year old.")
EntryRemoval.objects.create(table="log", entries=[1, 2], rule="Kept 90 days.")
documents.issue_missing_receipts()
verification.verify_chain()
webhook = endpoints.add_webhook(
    "FLOWTEST000000000001", "https://bank1.example/hmda", by=caller_of(filer)
).webhook
delivery = WebhookDelivery.objects.create(
    webhook=webhook, message_id=f"msg_{'0' * 32}", type="submission.signed",
    about="FLOWTEST000000000001-2025-1", body="{}", state="given up",
    job=Job.objects.create(stage="webhook", state="done", large=True),
)  # fmt: skip
delivery.attempts.create(
    started_at=timezone.now(), milliseconds=87, status=503, answer="Try again later",
    error="The address answered 503.",
)  # fmt: skip

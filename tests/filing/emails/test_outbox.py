"""Mails to filers: to whom, once each whatever the mail server does, with nothing smuggled in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from filing import day_hours, submissions
from filing.access import Caller
from filing.emails import outbox, sending
from filing.emails.outbox import EmailDraft
from filing.errors import NotReady
from filing.jobs import loop, queue
from filing.models import Attempt, Institution, Job, Mail, Note, Signature, Submission
from filing.receipts import documents
from filing.statuses import FAULTS, Event, Status
from tests.filing.mail_server import MailServer, closed_port, reach, serving

pytestmark = pytest.mark.django_db

BCC = "x@bank.example\nBcc: everybody@bank.example"


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with serving() as running:
        reach(settings, running.port)
        yield running


@pytest.fixture
def verified(submission: Submission) -> Submission:
    Submission.objects.update(
        status=Status.VERIFIED,
        file_name="lar.txt",
        lines=61,
        sha256="ab" * 32,
        transmittal_sheet={"contact_email": "contact@bank.example"},
    )
    return Submission.objects.select_related("filing__institution", "filing__period").get()


def sign(submission: Submission, by: Caller) -> Signature:
    return submissions.sign_submission(submission, signed=True, by=by)


def draft(key: str = "k", to: str = "ann@bank.example", text: str = "Hello.") -> EmailDraft:
    return EmailDraft("season", key, to, "A subject", text)


def work() -> None:
    """Do once what waits, whatever the pause."""
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    for job in Job.objects.filter(stage="mail", state="queued"):
        loop.run_job(job.pk)


def text_of(mail: EmailMessage) -> str:
    """Return the text of an email without its attachments."""
    body = mail.get_body()
    assert isinstance(body, EmailMessage)
    return body.get_content()


def receivers() -> list[str]:
    return [mail.to for mail in Mail.objects.order_by("pk")]


# --- who is told


def test_a_receipt_goes_to_the_signer_and_to_the_contact(verified, filer, server, settings):
    settings.CONTACT_EMAIL = "help@service.example"
    signature = sign(verified, filer)
    work()
    assert [mail["To"] for mail in server.mails] == ["ann@bank.example", "contact@bank.example"]
    mail = server.mails[0]
    subject = " ".join(mail["Subject"].split())
    assert verified.filing.institution.name in subject
    assert subject.endswith(f"for {verified.period}, receipt {signature.receipt}")
    assert mail["Auto-Submitted"] == "auto-generated"
    text = text_of(mail)
    for fact in (
        signature.receipt,
        f"{day_hours.moment_in_words(signature.signed_at, seconds=True)} by ann, ann@bank.example",
        "lar.txt, 60 records",
        "ab" * 32,
        "Test Bank",
        "help@service.example",
    ):
        assert fact in text
    assert set(Mail.objects.values_list("job__state", flat=True)) == {"done"}
    assert all(mail.sent_at for mail in Mail.objects.all())


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ann@bank",
        "Ann <ann@bank.example>",
        "a@bank.example, b@bank.example",
        BCC,
        f"{'a' * 60}@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.example",
    ],
)
def test_what_is_no_address_on_the_transmittal_sheet_is_left_out(verified, filer, typed):
    verified.transmittal_sheet = {"contact_email": typed}
    verified.save()
    sign(verified, filer)
    assert receivers() == ["ann@bank.example"]


def test_a_failure_is_told_to_who_uploaded_once_for_each(submission, filer, server):
    sam = Caller(id="user-2", username="sam", email="sam@bank.example")
    submissions.move_submission(submission, Event.UPLOAD_STARTED, by=sam)
    submissions.move_submission(submission, Event.UPLOAD_FINISHED, by=sam)
    submissions.fail_submission(submission, "The disk is full.\nUpload it again.")
    outbox.queue_failure(submission, FAULTS[Event.FAILED])
    assert receivers() == ["sam@bank.example"]
    work()
    text = text_of(server.mails[0])
    assert "The disk is full.\nUpload it again." in text.replace("\r\n", "\n")
    submissions.move_submission(submission, Event.PARSE_RETRIED, by=filer)
    submissions.fail_submission(submission, "The disk is full again.")
    assert receivers() == ["sam@bank.example"] * 2
    work()
    assert "full again" in server.mails[1].get_content()


@pytest.mark.servers
def test_a_receipt_is_written_with_the_signature_or_not_at_all(verified, filer):
    with transaction.atomic():
        sign(verified, filer)
        assert Mail.objects.exists()
        transaction.set_rollback(True)
    assert not Mail.objects.exists()
    assert not Job.objects.filter(stage="mail").exists()


# --- once each


@pytest.mark.servers
def test_a_mail_is_written_once_for_its_key():
    assert len(outbox.queue_emails([draft(), draft(text="Other."), draft("k2")])) == 2
    assert outbox.queue_emails([draft(), draft("k2")]) == []
    assert Job.objects.filter(stage="mail").count() == 2


@pytest.mark.servers
def test_many_mails_take_few_queries(django_assert_max_num_queries):
    drafts = [draft(f"k{number}") for number in range(300)]
    with django_assert_max_num_queries(100):
        assert len(outbox.queue_emails(drafts)) == 300


def test_a_long_key_is_shortened_and_stays_different():
    one, other = (
        outbox.make_email_key("receipt", "r" * 250, to) for to in ("a@x.example", "b@x.example")
    )
    assert one != other
    assert len(one) == len(other) == 255


# --- a mail server that does not answer, or refuses


@pytest.mark.servers
def test_after_ten_attempts_a_mail_is_given_up_and_can_be_seen(settings, admin_client):
    reach(settings, closed_port())
    (mail,) = outbox.queue_emails([draft()])
    for _ in range(12):
        work()
    job = Job.objects.get()
    assert (job.state, job.attempts) == ("failed", 10)
    page = admin_client.get("/admin/filing/mail/?q=ann@bank").content.decode()
    assert "failed" in page
    assert "Connection refused" in page
    with serving() as back:
        reach(settings, back.port)
        mail.refresh_from_db()
        sending.send_email_again(mail, by=Caller(id="7", username="desk"), reason="It is up again.")
        work()
        assert len(back.mails) == 1
    assert Note.objects.get().reason == "It is up again."
    mail.refresh_from_db()
    with pytest.raises(NotReady, match="It was sent on"):
        sending.plan_send_email_again(mail)


def test_while_the_server_is_down_it_is_asked_once_and_not_for_every_mail(settings):
    reach(settings, closed_port())
    first, *others = outbox.queue_emails([draft(f"k{number}") for number in range(10)])
    loop.run_job(first.job_id)
    for mail in others:
        loop.run_job(mail.job_id)
    assert Attempt.objects.count() == 1
    rest = Job.objects.exclude(pk=first.job_id)
    assert set(rest.values_list("attempts", "state")) == {(0, "queued")}
    assert min(rest.values_list("not_before", flat=True)) > timezone.now() + timedelta(seconds=50)
    assert queue.find_first_job("messages") is None


@pytest.mark.parametrize(("verb", "step"), [("RCPT", "550 no such user"), ("END", "554 refused")])
def test_an_address_that_is_refused_for_good_is_given_up_at_once(server, verb, step):
    first, second = outbox.queue_emails([draft("k1", "gone@bank.example"), draft("k2")])
    server.answers[verb] = step.encode()
    loop.run_job(first.job_id)
    job = Job.objects.get(pk=first.job_id)
    assert (job.state, job.attempts) == ("failed", 1)
    assert job.last_error == f"The mail server refuses gone@bank.example: {step}"
    server.answers.clear()
    loop.run_job(second.job_id)  # others are not held up
    assert Job.objects.get(pk=second.job_id).state == "done"


# --- nothing is smuggled in


def test_the_signed_receipt_is_attached_as_it_is_downloaded(verified, filer, server, settings):
    signature = sign(verified, filer)
    work()
    outbox.queue_receipt(signature, [], again=True)
    work()
    assert len(server.mails) == 4
    for mail in server.mails:
        (attachment,) = mail.iter_attachments()
        assert attachment.get_filename() == f"receipt-{verified}.json"
        assert attachment.get_content_type() == "application/json"
        assert attachment.get_content() == documents.write_receipt_file(signature.signed_receipt)
        assert f"{settings.PUBLIC_URL}/receipts/check/" in text_of(mail)


def test_names_of_institutions_and_files_add_no_lines_and_no_headers(verified, filer, server):
    forged = "Bank\r\nBcc: everybody@bank.example\r\n\r\nReceipt number: forged"
    Institution.objects.update(name=forged)
    Submission.objects.update(file_name=f"lar\u2028{forged}.txt")
    fresh = Submission.objects.select_related("filing__institution", "filing__period").get()
    sign(fresh, filer)
    outbox.queue_failure(fresh, FAULTS[Event.FAILED])
    work()
    assert len(server.mails) == 3
    for mail in server.mails:
        assert mail["Bcc"] is None
        lines = text_of(mail).splitlines()
        assert not [line for line in lines if line.startswith(("Bcc", "Receipt number: forged"))]

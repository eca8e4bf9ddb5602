"""A small world in one process, and the questions that every area of it is asked.

Filers, staff and the public act over HTTP; workers are the loop that works on the jobs. Each file
has a number of records of its own, so that a count of records says which file was counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from databrowser.models import Version
from databrowser.publication.builds import build_requests
from filing.access import SERVICE
from filing.edits.examples import records
from filing.jobs import loop
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Institution, Job, LegalHold, Membership, Submission
from filing.people import personal_tokens
from tests.filing.people.members import member, signed_in

YEAR = 2024
REASON = "A walk of the tests."
BROWSER = "/v2/data-browser-api/view"
_NUMBERS = itertools.count(1)
_RECORDS = itertools.count(2)  # of a file: each has its own number


@dataclass
class Sent:
    """A submission that was sent, and what is known of it."""

    number: int
    records: int
    is_ready: bool = False
    receipt: str = ""


@dataclass
class Bank:
    """An institution with one filer. sent: its submissions. signed: those signed, in order."""

    lei: str
    user: User
    program: Client
    sent: list[Sent] = field(default_factory=list)
    signed: list[Sent] = field(default_factory=list)
    may_file: bool = True
    is_cancelled: bool = False
    is_held: bool = False

    @property
    def counting(self) -> Sent | None:
        return self.signed[-1] if self.signed else None

    @property
    def filing(self) -> Filing:
        return Filing.objects.get(institution__lei=self.lei, institution__activity_year=YEAR)

    @property
    def api(self) -> str:
        return f"/v2/filing/institutions/{self.lei}/filings/{YEAR}"

    @property
    def page(self) -> str:
        return f"/filing/{self.lei}/{YEAR}/"


@dataclass
class Published:
    """What the public may see of the year. counts: of each institution, in the live version."""

    live: int = 0  # the number of the version, 0 for none
    is_kept: bool = False  # staff withdrew it or rolled it back: no schedule publishes it
    counts: dict[int, dict[str, int]] = field(default_factory=dict)  # by number of version


class World:
    """Staff, the public, and the banks of all walks; only one walk's are asked."""

    def __init__(self) -> None:
        FilingPeriod.objects.create(
            year=YEAR,
            opens=date(2020, 1, 1),
            timely_until=date(2030, 1, 1),
            closes=date(2040, 1, 1),
        )
        self.operator = signed_in(member("operator", email="olga@service.example"))
        self.desk = signed_in(member("help desk", email="hal@service.example"))
        self.public = Client()
        self.published = Published()
        self.banks: list[Bank] = []
        self.error: BaseException | None = None  # of the first walk that failed
        self.calls: list[str] = []

    # --- what happens ---------------------------------------------------------------------------

    def add_bank(self) -> Bank:
        lei = f"549300ANSWERS{next(_NUMBERS):05d}00"
        user = User.objects.create(username=lei.lower(), email=f"ann@{lei.lower()}.example")
        institution = Institution.objects.create(
            activity_year=YEAR, lei=lei, name=f"Bank {lei}", tax_id="12-3456789", agency=9
        )
        Filing.objects.create(institution=institution, period=FilingPeriod.objects.get(year=YEAR))
        Membership.objects.create(user=user, lei=lei)
        bank = Bank(lei, user, program_of(user, lei))
        self.banks.append(bank)
        return bank

    def upload(self, bank: Bank, kind: str = "clean") -> Sent | None:
        """Create a submission, send its file and wait until it is checked."""
        self.calls.append(f"{bank.lei} uploads, {kind}")
        answer = bank.program.post(f"{bank.api}/submissions")
        expected = 201
        if not bank.may_file:
            expected = 403
        elif bank.is_cancelled:
            expected = 400
        assert answer.status_code in {expected, 401 if expected == 403 else expected}, answer
        if answer.status_code != 201:
            return None
        sent = Sent(answer.json()["id"]["sequenceNumber"], next(_RECORDS))
        bank.sent.append(sent)
        if kind == "empty":
            return sent
        content = content_of(bank.lei, sent.records, is_broken=kind == "broken")
        file = SimpleUploadedFile("lar.txt", content)
        answer = bank.program.post(f"{bank.api}/submissions/{sent.number}", {"file": file})
        assert answer.status_code == 202, answer.content
        work()
        sent.is_ready = self.code(bank, sent) == 14
        assert sent.is_ready is (kind == "clean")
        return sent

    def sign(self, bank: Bank, sent: Sent) -> None:
        self.calls.append(f"{bank.lei} signs {sent}")
        answer = bank.program.post(
            f"{bank.api}/submissions/{sent.number}/sign",
            {"signed": True, "reason": REASON},
            content_type="application/json",
        )
        is_replaced = any(other.number > sent.number for other in bank.signed)
        if not bank.may_file:
            assert answer.status_code in {401, 403}
        elif bank.is_cancelled or not sent.is_ready or sent.receipt:
            assert answer.status_code == 400, answer.content
        elif is_replaced:
            assert answer.status_code == 409, answer.content
        else:
            assert answer.status_code == 200, answer.content
            sent.receipt = answer.json()["receipt"]
            bank.signed.append(sent)
            work()

    def cancel_or_reinstate(self, bank: Bank) -> None:
        action = "reinstate" if bank.is_cancelled else "cancel"
        if self.act("filing_filing", action, bank.filing.pk):
            assert not bank.signed, "what was filed stays on record"
            bank.is_cancelled = not bank.is_cancelled
        else:
            assert bank.signed

    def end_or_give_right(self, bank: Bank) -> None:
        """Staff end the right of the filer, or give it again."""
        if bank.may_file:
            held = Membership.objects.get(user=bank.user, lei=bank.lei)
            assert self.act("filing_membership", "end", held.pk)
        else:
            form = {"user": bank.user.pk, "lei": bank.lei, "reason": REASON}
            answer = self.operator.post(reverse("admin:filing_membership_add"), form)
            assert answer.status_code == 302, answer.content.decode()
            bank.program = program_of(bank.user, bank.lei)  # the former token has ended
        bank.may_file = not bank.may_file

    def hold_or_lift(self, bank: Bank) -> None:
        if bank.is_held:
            hold = LegalHold.objects.get(lei=bank.lei, lifted_at=None)
            assert self.act("filing_legalhold", "lift", hold.pk)
        else:
            institution = Institution.objects.get(lei=bank.lei)
            assert self.act("filing_institution", "hold", institution.pk)
        bank.is_held = not bank.is_held

    def build_daily(self) -> None:
        """What beat does each day: build what is new, and publish it unless staff decided."""
        live, is_kept = self.published.live, self.published.is_kept
        self.calls.append(f"the daily build: {live=} {is_kept=}")
        before = max(self.published.counts, default=0)
        build_requests.request_due_builds()
        work()
        self._read_versions()
        newest = max(self.published.counts, default=0)
        # Where nothing is new, an earlier version that staff published stays.
        if newest > before and not self.published.is_kept:
            self.published.live = newest

    def publish(self, number: int) -> None:
        """Staff publish a version, or roll back to it."""
        version = Version.objects.get(year=YEAR, number=number)
        is_back = number < self.published.live
        if self.act("databrowser_version", "roll_back" if is_back else "go_live", version.pk):
            self.published.live, self.published.is_kept = number, is_back

    def withdraw(self) -> None:
        version = Version.objects.get(year=YEAR, number=self.published.live)
        assert self.act("databrowser_version", "withdraw", version.pk)
        self.published.live, self.published.is_kept = 0, True

    def act(self, model: str, action: str, key: int) -> bool:
        """Take an action of staff, with its preview; return whether it was possible."""
        self.calls.append(f"{model} {action} {key}")
        address = reverse(f"admin:{model}_{action}")
        preview = self.operator.get(address, {"pk": key})
        chosen = preview.context["chosen"]
        if chosen == "{}":
            return False
        report = self.operator.post(address, {"chosen": chosen, "reason": REASON})
        assert report.context["done"] == 1, report.content.decode()
        return True

    def _read_versions(self) -> None:
        """Remember what each version has to count: what counted when it was built."""
        for version in Version.objects.filter(year=YEAR, state=Version.State.BUILT):
            if version.number not in self.published.counts:
                self.published.counts[version.number] = {
                    bank.lei: bank.counting.records for bank in self.banks if bank.counting
                }

    # --- what is asked --------------------------------------------------------------------------

    def code(self, bank: Bank, sent: Sent) -> int:
        return Submission.objects.get(filing=bank.filing, sequence_number=sent.number).status

    def what_counts(self, bank: Bank) -> dict[str, int]:
        """Ask every area which file of the institution counts: the number of its records, or 0."""
        answers = {}
        body = bank.program.get(bank.api).json() if bank.may_file else None
        if body:
            is_filed = body["filing"]["status"]["code"] == 3
            ends = [each["end"] for each in body["submissions"] if each["receipt"]]
            assert is_filed == bool(body["filing"]["end"])
            newest = body["filing"]["end"]
            answers["filing API"] = next(
                (self._records(bank, each["id"]["sequenceNumber"]) for each in body["submissions"]
                 if is_filed and each["end"] == newest), 0,
            )  # fmt: skip
            assert bool(ends) == is_filed
        if bank.may_file:
            page = self.page_of(bank)
            card = page.context["card"]
            signature = card.signature
            answers["filing page"] = signature.submission.records if signature else 0
            assert card.receipt_url in page.content.decode()
        answers["receipts"] = self._by_receipts(bank)
        modified = self.public.get(f"/v2/public/modifiedLAR/{YEAR}/{bank.lei}/txt")
        if modified.status_code == 404:
            answers["modified LAR"] = 0
        else:
            assert modified.status_code == 200, modified
            answers["modified LAR"] = b"".join(modified).count(b"\n")  # type: ignore[arg-type]
        answers["help desk"] = self._by_help_desk(bank)
        answers["admin list"] = self._by_admin_list(bank)
        return answers

    def page_of(self, bank: Bank) -> Any:
        return signed_in(bank.user).get(bank.page)

    def _by_receipts(self, bank: Bank) -> int:
        """Return the records of the only receipt that was not replaced; all others name it."""
        counting = 0
        replaced_by = set()
        for sent in bank.signed:
            answer = self.public.get(f"/v2/public/receipts/{sent.receipt}").json()
            assert (answer["genuine"], answer["records"]) == (True, sent.records)
            if answer["replacedBy"]:
                replaced_by.add(answer["replacedBy"])
            else:
                assert not counting, "two receipts count"
                counting = answer["records"]
        named = {sent.receipt for sent in bank.signed if sent.records == counting}
        assert replaced_by <= named
        return counting

    def _by_help_desk(self, bank: Bank) -> int:
        """Return what the page of each signed submission says is in force."""
        counting = {0} if not bank.signed else set()
        for sent in bank.signed:
            row = Submission.objects.get(filing=bank.filing, sequence_number=sent.number)
            page = self.desk.get(reverse("admin:filing_submission_change", args=[row.pk]))
            counting.add(sum(other.records for other in page.context["of_filing"] if other.counts))
        assert len(counting) == 1, counting
        return counting.pop()

    def _by_admin_list(self, bank: Bank) -> int:
        """Return the records of what counts if the list of filings says that it is completed."""
        page = self.desk.get(reverse("admin:filing_filing_changelist"), {"q": bank.lei})
        (row,) = page.context["cl"].result_list
        if row.get_status_display() != "completed":
            return 0
        completed = [sent for sent in bank.sent if sent.receipt.endswith(milliseconds(row))]
        return completed[0].records

    def _records(self, bank: Bank, number: int) -> int:
        return next(sent.records for sent in bank.sent if sent.number == number)

    def what_is_public(self, banks: list[Bank]) -> dict[str, dict[str, int] | None]:
        """Ask every public area how many records of each bank are published; None: no year."""
        leis = [bank.lei for bank in banks]
        answers: dict[str, dict[str, int] | None] = {}
        filers = self.public.get(f"{BROWSER}/filers", {"years": YEAR})
        answers["filers"] = None
        if filers.status_code == 200:
            listed = {each["lei"]: each["count"] for each in filers.json()["institutions"]}
            answers["filers"] = {lei: listed[lei] for lei in leis if lei in listed}
        answers.update(self._by_question(leis))
        year = self.public.get(f"/v2/public/publications/{YEAR}")
        answers["publications"] = None
        if year.status_code == 200:
            counts = self.published.counts[number_of(year.json()["version"])]
            answers["publications"] = {lei: counts[lei] for lei in leis if lei in counts}
        return answers

    def _by_question(self, leis: list[str]) -> Iterator[tuple[str, dict[str, int] | None]]:
        """Yield what the data browser answers: figures, and files in each format."""
        counts: dict[str, int] | None = {}
        lines: dict[str, int] | None = {}
        for lei in leis:
            question = {"years": YEAR, "leis": lei, "actions_taken": "1,2,3,4,5,6,7,8"}
            figures = self.public.get(f"{BROWSER}/aggregations", question)
            file = self.public.get(f"{BROWSER}/csv", question)
            assert figures.status_code == file.status_code, (figures, file)
            if figures.status_code in {400, 404}:
                counts = lines = None
                break
            count = sum(each["count"] for each in figures.json()["aggregations"])
            records_of_file = max(b"".join(file).count(b"\n") - 1, 0)  # type: ignore[arg-type]
            if count:
                counts[lei] = count
            if records_of_file:
                lines[lei] = records_of_file
        yield "figures", counts
        yield "CSV", lines

    def who_may(self, bank: Bank) -> dict[str, bool]:
        """Ask every area whether the filer may act for the institution."""
        browser = signed_in(bank.user)
        pages = {
            "filing page": browser.get(bank.page).status_code,
            "institution page": browser.get(f"/filing/{bank.lei}/").status_code,
            "API": bank.program.get(bank.api).status_code,
            "API, latest": bank.program.get(f"{bank.api}/submissions/latest").status_code,
        }
        answers = {name: status not in {401, 403} for name, status in pages.items()}
        cards = browser.get("/filing/", follow=True)
        answers["start page"] = bank.page in cards.content.decode()
        return answers

    def what_may_be_removed(self, bank: Bank) -> dict[str, bool]:
        """Ask the admin whether the filing may be removed: its own page, and that of many."""
        key = bank.filing.pk
        answers = {}
        for name in ("delete", "remove"):
            of_one = name == "delete"
            address = reverse(f"admin:filing_filing_{name}", args=[key] if of_one else None)
            page = self.operator.get(address, None if of_one else {"pk": key}, follow=True)
            assert page.status_code == 200, page
            answers[name] = 'name="reason"' in page.content.decode()
        return answers


def content_of(lei: str, count: int, *, is_broken: bool = False) -> bytes:
    """Return a file with so many correct records, or with a formatting error."""
    period = Period(YEAR)
    loans = [
        records.correct_loan(period, lei, uli=records.numbered_uli(lei, number))
        for number in range(1, count + 1)
    ]
    sheet = records.correct_transmittal_sheet(period, lei, count)
    lines = [records.write_record_line(sheet), *map(records.write_record_line, loans)]
    if is_broken:
        lines[1] = lines[1].replace("|", "|x", 3)
    return ("\n".join(lines) + "\n").encode()


def work() -> None:
    """Work on everything that waits, as the workers do; emails wait for a server."""
    while jobs := list(Job.objects.filter(state="queued").exclude(stage="mail")):
        Job.objects.filter(state="queued").update(not_before=timezone.now() - timedelta(seconds=1))
        for job in jobs:
            loop.run_job(job.pk)
        jobs_left = set(Job.objects.filter(state="queued").values_list("pk", flat=True))
        assert not jobs_left >= {job.pk for job in jobs}, "nothing was done"


def number_of(version: str) -> int:
    """Return the number of a version within its year."""
    return int(version.rpartition("-")[2])


def milliseconds(filing: Filing) -> str:
    assert filing.completed_at
    return str(int(filing.completed_at.timestamp() * 1000 + 0.5))


def program_of(user: User, lei: str) -> Client:
    """Return a program with a personal token of a user."""
    text, _ = personal_tokens.create_token(user, name="program", leis=[lei], days=9, by=SERVICE)
    return Client(headers={"authorization": f"Bearer {text}"})

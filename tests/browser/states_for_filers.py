"""The pages and states that filers come to, and what has to be there before."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page

from filing.demo import census
from filing.demo.files.lar_file import LarRecipe, make_lar_file
from filing.lar.years import Period
from filing.reference.census import build_census
from tests.browser.conftest import PASSWORD, Look, email_of, emailed_path, lei_of
from tests.browser.filers import YEAR, employ, end_session_in, make_proof_old
from tests.browser.page_states import (
    KNOWN,
    State,
    Step,
    bring,
    choose,
    click,
    fill,
    follow,
    let_pass,
    press,
    see,
    see_errors,
    see_heading,
)
from tests.browser.states_for_everyone import FORMATTING, fill_sheet
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

LEI, PEOPLE_LEI, RECORD_LEI = (
    lei_of(f"states{part}") for part in ("", " of people", " of records")
)
CLIENT_LEI, CODE = lei_of("states of clients"), "ORG-CCCCCC"
REPLACED, SIGNED, BROKEN, WRONG, UNUSUAL, VERIFIED, STUCK, EMPTY = range(1, 9)
FILING, PEOPLE = f"/filing/{LEI}/{YEAR}/", f"/filing/{PEOPLE_LEI}/people/"
RECORD, ORGANIZATION = f"/filing/{RECORD_LEI}/record/", f"/filing/organizations/{CODE}/"
DELEGATIONS, UPLOAD = f"/filing/{CLIENT_LEI}/delegations/", f"{FILING}{EMPTY}/upload/"
PROFILE, RECEIPT_CHECK = reverse("profile"), reverse("check-receipt")

# Sam files, Pia is the administrator of people, Moe one of them, Rae proposes records, Dot lets a
# vendor act, which Val works for.
PEOPLE_OF_STATES = """
from datetime import timedelta
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.utils import timezone
from filing.access import caller_of
from filing.models import (
    Delegation, Identity, Invitation, Membership, Organization, OrganizationMember
)
from filing.people import invitations
from config.identity import accounts
from config.identity.tokens import known_identity
from django.contrib.auth.tokens import default_token_generator
now, password = timezone.now(), make_password({password!r})
def add(name, lei="", **rights):
    user, _ = User.objects.get_or_create(
        username=name, defaults=dict(email=f"{{name}}@states.example", first_name=name.title())
    )
    User.objects.filter(pk=user.pk).update(password=password)
    identity = known_identity(user); identity.email_verified = True; identity.save()
    if lei:
        Membership.objects.create(user=user, lei=lei, **rights)
    return user
long_ago = now - timedelta(days=4000)
pia = add("pia", {people!r}, administrator_since=long_ago, added_at=long_ago)
moe = add("moe", {people!r}, added_at=long_ago)
add("rae", {record!r})
dot = add("dot", {client!r}, administrator_since=now, is_signer=False)
val, ivo = add("val"), add("ivo")
vendor = Organization.objects.create(
    name="Prairie Files", code={code!r}, email_domain="states.example", made_by="val"
)
OrganizationMember.objects.create(organization=vendor, user=val, administrator_since=now)
OrganizationMember.objects.create(organization=vendor, user=moe)
delegation = Delegation.objects.create(organization=vendor, lei={client!r}, agreed_by="dot")
for email in ("ivo@states.example", "eli@states.example"):
    roles = invitations.Roles(is_preparer=True)
    invitations.invite_person(email, roles, by=caller_of(pia), lei={people!r})
first, spent = Invitation.objects.filter(lei={people!r}).order_by("pk")
links = [invitations.make_invitation_link(each.pk) for each in (first, spent)]
invitations.withdraw_invitation(spent, by=caller_of(pia), reason="Not needed.")
import json
print(json.dumps({{
    "invitation": links[0], "spent": links[1], "delegation": str(delegation.pk),
    "forgotten": accounts._link("new-password", moe, default_token_generator.make_token(moe)),
}}))
"""


# A submission whose check waits.
LEAVE_WAITING = """
from filing.models import Submission
from filing.statuses import Status
Submission._base_manager.filter(
    filing__institution__lei={lei!r}, sequence_number={number}
).update(status=Status.PARSING, file_name="lar.txt")
"""
CONSENT = (
    "client_id=consent&response_type=code&scope=openid&state=s&redirect_uri=http://127.0.0.1/"
    "&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const heading = document.querySelector("h1");
  for (const type of ["dragover", "drop"]) {
    const options = { dataTransfer: data, bubbles: true, cancelable: true };
    heading.dispatchEvent(new DragEvent(type, options));
  }
}"""


def make_register(lei: str = LEI, *, year: str = YEAR, rows: int = 20) -> str:
    """Return a file of an institution, without a fault."""
    recipe = LarRecipe(period=Period(int(year)), lei=lei, rows=rows, tax_id="12-3456789")
    tracts = build_census(census.make_census_rows(int(year))).tracts
    return b"".join(make_lar_file(recipe, tracts)).decode()


def fill_with_filings(site: Service) -> None:
    """Let people, clients and submissions be there."""
    employ(site, LEI, "sam")
    code = PEOPLE_OF_STATES.format(
        password=PASSWORD, people=PEOPLE_LEI, record=RECORD_LEI, client=CLIENT_LEI, code=CODE
    )
    facts = json.loads(site.manage("shell", "-v", "0", "-c", code))
    KNOWN.update({name: fact.removeprefix(site.url) for name, fact in facts.items()})
    with Filer.of(site, YEAR, LEI) as filer:
        for number, rows in ((REPLACED, 20), (SIGNED, 120)):
            filer.file(lar(filer, rows=rows), number=number)
            assert filer.sign(number).status_code in {200, 201}
        good = lar(filer, rows=120)
        filer.file(good.replace(b"|250000|", b"|much|") + b"2|three|fields\n", number=BROKEN)
        filer.file(lar(filer, rows=120, fail=("V617:3", "V625-2:12")), number=WRONG)
        filer.file(lar(filer, rows=120, fail=("Q611:2", "Q631:3", "Q637")), number=UNUSUAL)
        filer.file(lar(filer, rows=20, fail=("Q611:2",)), number=VERIFIED)
        filer.verify("quality", number=VERIFIED)
        filer.verify("macro", number=VERIFIED)
        stuck = filer.begin()["id"]["sequenceNumber"]
        site.manage("shell", "-v", "0", "-c", LEAVE_WAITING.format(lei=LEI, number=stuck))
        filer.begin()
        answer = filer.call("GET", f"/submissions/{SIGNED}/receipt")
    KNOWN.update({"receipt": answer.json()["receipt"], "receipt file": answer.text})


def show_dialog(name: str) -> Step:
    return lambda page: page.get_by_role("dialog", name=name).wait_for()


def end_soon(name: str, seconds: float, path: str = PROFILE) -> State:
    """Return the state of a page whose session ends so soon."""
    before = partial(end_session_in, seconds=seconds)
    steps = (show_dialog(name),)
    return State(path=path, who="sam", before=before, steps=steps)


def change_account(page: Page) -> None:
    """Sign in as another person in another tab."""
    page.get_by_role("dialog").wait_for()
    other = page.context.new_page()
    other.goto(page.url.replace(PROFILE, "/sign-in/?next=/"))
    other.fill("[name=username]", "rae")
    other.fill("[name=password]", PASSWORD)
    other.click("main [type=submit]")
    other.wait_for_url(re.compile("/$"))
    other.close()
    page.evaluate("dispatchEvent(new Event('focus'))")


def create_token(page: Page) -> None:
    page.fill("#id_token-name", "nightly upload")
    page.locator("#id_token-leis_group .usa-checkbox__label").first.click()
    page.fill("#id_token-days", "7")
    page.click("text=Create a token")
    page.locator("#new-token").wait_for()


def drop_file_of_other(page: Page) -> None:
    """Drop a file of another institution on the page."""
    text = make_register().replace(LEI, "529900OTHERBANK00017")
    page.evaluate(DROP, ["lar.txt", text])


def cancel_upload(page: Page) -> None:
    """Cancel an upload of which no part arrives."""
    page.route(re.compile(r"/uploads/[0-9a-f]{32}/?$"), lambda route: None)
    press("Upload")(page)
    press("Cancel")(page)
    see("The upload was canceled.")(page)
    page.unroute_all(behavior="ignoreErrors")


def refuse_upload(page: Page) -> None:
    """Send a file that the service does not take, since the session has ended meanwhile."""
    page.context.clear_cookies()
    press("Upload")(page)
    see("You are signed out.")(page)


def sign_up(site: Service, look: Look) -> str:
    """Create an account; return the path of the link that confirms its address."""
    email = email_of("states", "una")
    page = look.at(reverse("sign-up"))
    for name, value in (("first_name", "Una"), ("last_name", "Example"), ("email", email)):
        page.fill(f"#id_{name}", value)
    page.fill("#id_password", "quiet lake 9 morning")
    press("Create account")(page)
    page.wait_for_url("**/sign-up/sent/")
    return emailed_path(site, email, r"/sign-up/\S+/\S+")


def bring_many(page: Page) -> None:
    """Choose a file of a client, and one of an institution of someone else."""
    page.locator("#file").set_input_files(
        [
            {"name": f"{lei}.txt", "mimeType": "", "buffer": make_register(lei).encode()}
            for lei in (CLIENT_LEI, LEI)
        ]
    )


def of_filer(rest: str, *steps: Step, **facts: Any) -> State:
    """Return the state of a page of Sam's filing."""
    return State(path=FILING + rest, who="sam", steps=steps, heavy=False, **facts)


FILINGS: dict[str, State] = {
    "institutions": State(path="/filing/", who="sam", heavy=False, by_hand=True),
    "deadlines": State(path="/filing/deadlines/", who="sam", heavy=False, by_hand=True),
    "institution": State(path=f"/filing/{LEI}/", who="sam", heavy=False),
    **{
        f"filing {rest}": of_filer(rest)
        for rest in (
            *("", f"{EMPTY}/", f"{EMPTY}/upload/", f"{EMPTY}/discard/", f"{BROKEN}/"),
            *(f"{BROKEN}/formatting-errors/", f"{BROKEN}/formatting-errors/?group=1"),
            *(f"{WRONG}/", f"{WRONG}/edits/", f"{WRONG}/edits/rules/2025/"),
            *(f"{WRONG}/edits/V617/", f"{WRONG}/edits/report/", f"compare/{WRONG}/{UNUSUAL}/"),
            *(f"{UNUSUAL}/", f"{UNUSUAL}/edits/", f"{UNUSUAL}/edits/Q611/"),
            *(f"{UNUSUAL}/verify/quality/", f"{UNUSUAL}/verify/macro/"),
            *(f"{UNUSUAL}/edits/report/", f"{VERIFIED}/", f"{VERIFIED}/sign/"),
            *(f"{SIGNED}/", f"{SIGNED}/receipt/", f"{SIGNED}/verify/quality/"),
            *(f"{REPLACED}/", f"{REPLACED}/receipt/"),
        )
    },
    "edit reviewed": of_filer(
        f"{UNUSUAL}/edits/Q631/",
        press("Mark as reviewed and go to the next"),
        see("is marked as reviewed"),
    ),
    "sign after a while": of_filer(
        f"{VERIFIED}/sign/", see("To sign, sign in again."), before=make_proof_old
    ),
    "sign in again": of_filer(
        f"{VERIFIED}/sign/",
        follow("Sign in again"),
        click("[name=password]"),
        before=make_proof_old,
    ),
    "sign refused": of_filer(f"{BROKEN}/sign/", status=400),
    "same file": of_filer(
        f"{EMPTY}/upload/", bring(make_register(rows=120)), see("filed this file already")
    ),
    "file of another year": of_filer(
        f"{EMPTY}/upload/",
        bring(make_register().replace(f"|{YEAR}|", "|2019|", 1)),
        see("The transmittal sheet is for 2019"),
    ),
    "file of another institution": of_filer(
        f"{EMPTY}/upload/", drop_file_of_other, see("cannot be uploaded")
    ),
    **{
        f"upload of {name}": of_filer(f"{EMPTY}/upload/", bring(content, name=file), see(text))
        for name, file, content, text in (
            ("a CSV", "lar.csv", b"1|x\n", "does not end in .txt"),
            ("nothing", "lar.txt", b"", "The file is empty"),
            ("a workbook", "lar.txt", b"PK\x03\x04 xl/workbook", "is an Excel workbook."),
            ("UTF-16", "lar.txt", "1|Bank".encode("utf-16"), "The file is text in UTF-16"),
            ("a NUL byte", "lar.txt", b"1|x\n2|\0", "Line 2 holds a NUL byte"),
        )
    },
    "upload canceled": of_filer(f"{EMPTY}/upload/", bring(make_register()), cancel_upload),
    "upload refused": of_filer(f"{EMPTY}/upload/", bring(make_register()), refuse_upload),
    "check that waits": of_filer(f"{STUCK}/"),
}


def check_receipt(*steps: Step) -> State:
    return State(path=RECEIPT_CHECK, steps=steps)


def bring_receipt(page: Page, *, records: str = "") -> None:
    """Choose the file of the receipt. records: what stands before their number."""
    content = KNOWN["receipt file"].replace('"records":', f'"records":{records}')
    bring(content, "receipt.json", "#receipt-file")(page)


RECEIPTS: dict[str, State] = {
    "receipt genuine": check_receipt(
        lambda page: page.get_by_label("Receipt number").fill(KNOWN["receipt"]),
        press("Check number"),
        see("The receipt is genuine"),
    ),
    "receipt changed": check_receipt(
        partial(bring_receipt, records="1"),
        press("Check receipt file"),
        see("The receipt is not genuine"),
    ),
    "filed file": check_receipt(
        bring(make_register(rows=120), field="#filed-file"),
        press("Check file"),
        see("The receipt is genuine"),
    ),
    "file not filed": check_receipt(
        bring(b"", field="#filed-file"), press("Check file"), see("No file with the SHA-256")
    ),
}


def of_person(who: str, path: str, *steps: Step, **facts: Any) -> State:
    return State(path=path, who=who, steps=steps, **facts)


RIGHTS: dict[str, State] = {
    "people for one of them": of_person("moe", PEOPLE),
    "people": of_person("pia", PEOPLE, picture="people"),
    **{
        f"people {page}": of_person("pia", f"{PEOPLE}{page}/")
        for page in ("invite", "confirm", "joining", "leave", "administer")
    },
    "roles": of_person("pia", PEOPLE, click("main a[href$='/']:has-text('Change roles of Moe')")),
    "roles without a reason": of_person(
        "pia",
        PEOPLE,
        click("main a:has-text('Change roles of Moe')"),
        click("label:has-text('Signer')"),
        press("Save roles"),
        click("#id_reason"),
    ),
    "access to end": of_person("pia", PEOPLE, click("main a:has-text('End access of Moe')")),
    "invitation to withdraw": of_person("pia", PEOPLE, click("main a[href*='/invitations/']")),
    "invitation of a stranger": State(path="{invitation}"),
    "invitation": of_person("ivo", "{invitation}"),
    "invitation withdrawn": of_person("ivo", "{spent}", status=410),
    "delegations": of_person("dot", DELEGATIONS),
    "delegation offered": of_person("dot", f"{DELEGATIONS}?code={CODE}"),
    "delegation": of_person("dot", f"{DELEGATIONS}{{delegation}}/"),
    "delegation to end": of_person("dot", f"{DELEGATIONS}{{delegation}}/end/"),
    "filing one can only read": of_person("dot", f"/filing/{CLIENT_LEI}/{YEAR}/"),
    "organizations": of_person("val", "/filing/organizations/"),
    "organization": of_person("val", ORGANIZATION),
    "organization invites": of_person("val", f"{ORGANIZATION}invite/"),
    "organization log": of_person("val", f"{ORGANIZATION}log/"),
    "many files": of_person("val", "/filing/upload/"),
    "many files planned": of_person("val", "/filing/upload/", bring_many, see("cannot")),
    "many files uploaded": of_person(
        "val",
        "/filing/upload/",
        bring_many,
        press(re.compile("^Upload 1 file")),
        see("All 2 files are done."),
    ),
    "record": of_person("rae", RECORD),
    "record refused": of_person(
        "rae",
        RECORD,
        fill("#id_tax_id", "1"),
        fill("#id_reason", "The IRS gave us a new one."),
        press("Propose the change"),
        see("99-9999999"),
    ),
    "record waiting": of_person(
        "rae",
        RECORD,
        fill("#id_tax_id", "98-7654321"),
        fill("#id_reason", "The IRS gave us a new one."),
        press("Propose the change"),
        see("Waiting for staff"),
    ),
    "registration": of_person("rae", "/filing/register/"),
    "registration refused": of_person(
        "rae", "/filing/register/", press("Send to the help desk"), see("Enter the LEI")
    ),
    "registration waiting": of_person(
        "rae",
        "/filing/register/",
        fill("#id_lei", "529900NEWSTATES00021"),
        fill("#id_name", "New Bank of the States"),
        fill("#id_tax_id", "98-7654321"),
        choose("#id_agency", "3"),
        fill("#id_reason", "We were founded last year."),
        press("Send to the help desk"),
        see("Waiting for staff"),
    ),
}

SESSIONS: dict[str, State] = {
    "session ends": end_soon("Your session is about to end", 200),
    "session ends at home": end_soon("Your session is about to end", 200, "/"),
    "session ended": end_soon("You are signed out", 4),
    "other account": replace(
        end_soon("You are signed in with another account", 4),
        steps=(change_account, show_dialog("You are signed in with another account")),
    ),
    "home signed in": of_person("root", "/"),
    "profile": of_person("sam", PROFILE, by_hand=True),
    "profile refused": of_person("ann", PROFILE, let_pass, press("Create a token"), see_errors),
    "profile with a token": of_person("sam", PROFILE, create_token),
    "sign out": of_person("root", reverse("identity:logout")),
    "consent": of_person("root", f"{reverse('identity:auth')}?{CONSENT}", see("Allow")),
    "new password": State(path="{forgotten}", steps=(click("[type=password]"),)),
    "address to confirm": State(path="{confirm}"),
    "institutions to choose": of_person("ann", "/filing/institutions/"),
    "second factors": of_person("sam", "/second-factor/settings/"),
    "converted to be filed": replace(
        FORMATTING["columns matched"],
        who="sam",
        steps=(
            *FORMATTING["columns matched"].steps,
            partial(fill_sheet, lei=LEI),
            press("Confirm and convert"),
            see_heading("Result"),
        ),
    ),
}

FILERS = FILINGS | RECEIPTS | RIGHTS | SESSIONS

"""The pages and states that filers come to, and what has to be there before."""

from __future__ import annotations

import json
import re
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
    at,
    bring,
    enter,
    follow,
    press,
    see,
)
from tests.browser.states_for_everyone import CONVERTED, PROBLEMS, RECEIPT, convert, fill_sheet
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
SIGNER = "ann@bank.example"  # of the tokens of the service
PROFILE, SECOND_FACTOR = reverse("profile"), "/second-factor/"

# Sam files, and Ada asks to be the first administrator there. Pia is the administrator of people,
# Moe one of them, Rae proposes records, Dot lets a vendor act, which Val works for. Two has two
# factors.
PEOPLE_OF_STATES = """
import json
from datetime import timedelta
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.utils import timezone
from config.identity import accounts, device_grant
from config.identity.tokens import known_identity
from filing.access import caller_of
from filing.models import (
    AccessRequest, Delegation, Invitation, Membership, Organization, OrganizationMember,
    SecondFactor, Webhook,
)
from filing.people import invitations
now, password = timezone.now(), make_password({password!r})
def add(name, lei="", email="", **rights):
    email = email or f"{{name}}@states.example"
    user = User.objects.create(
        username=name, email=email, first_name=name.title(), password=password
    )
    identity = known_identity(user); identity.email_verified = True; identity.save()
    if lei:
        rights = {{"added_at": long_ago}} | rights
        user.membership = Membership.objects.create(user=user, lei=lei, **rights)
    return user
long_ago = now - timedelta(days=4000)
add("ada", {own!r}, {ada!r})
pia = add("pia", {people!r}, administrator_since=long_ago)
moe = add("moe", {people!r})
add("rae", {record!r})
add("dot", {client!r}, administrator_since=now, is_signer=False)
val, ivo, two = add("val"), add("ivo"), add("two")
SecondFactor.objects.create(user=two, kind="app", name="phone", secret="x")
vendor = Organization.objects.create(
    name="Prairie Files", code={code!r}, email_domain="states.example", made_by="val"
)
members = OrganizationMember.objects
members.create(organization=vendor, user=val, administrator_since=now)
member = members.create(organization=vendor, user=moe)
delegation = Delegation.objects.create(organization=vendor, lei={client!r}, agreed_by="dot")
for name in ("ivo", "eli"):
    roles = invitations.Roles(is_preparer=True)
    invitations.invite_person(
        name + "@states.example", roles, by=caller_of(pia), lei={people!r}
    )
first, spent = Invitation.objects.filter(lei={people!r}).order_by("pk")
links = [invitations.make_invitation_link(each.pk) for each in (first, spent)]
invitations.withdraw_invitation(spent, by=caller_of(pia), reason="Not needed.")
asking = AccessRequest.objects.create(user=ivo, lei={people!r})
device_grant.begin_device_grant("consent", {{
    "device_code": "x", "user_code": "BCDFGHJK", "scope": "openid", "interval": 5,
    "expires_in": 3600,
}})
print(json.dumps({{
    "invitation": links[0], "spent": links[1], "delegation": str(delegation.pk),
    "pia": str(pia.membership.pk), "moe": str(moe.membership.pk), "member": str(member.pk),
    "open": str(first.pk), "asking": str(asking.pk),
    "webhook": str(Webhook.objects.latest("pk").pk),
    "forgotten": accounts._link("new-password", moe, default_token_generator.make_token(moe)),
}}))
"""
# A submission whose check waits, and a question to the contact of the one that was signed.
LEAVE_WAITING = """
from django.contrib.auth.models import User
from filing.access import caller_of
from filing.models import Submission
from filing.people import access_requests
from filing.statuses import Status
Submission._base_manager.filter(
    filing__institution__lei={lei!r}, sequence_number={number}
).update(status=Status.PARSING, file_name="lar.txt")
ada = User.objects.get(username="ada")
asking = access_requests.ask_to_administer(ada, {lei!r}, by=caller_of(ada))
print(access_requests.make_contact_link(asking.pk))
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
    file = b"".join(make_lar_file(recipe, tracts)).decode()
    return file.replace(SIGNER, email_of("states", "carl"))  # the contact is another person


def fill_with_filings(site: Service) -> None:
    """Let people, clients and submissions be there."""
    employ(site, LEI, "sam")
    code = PEOPLE_OF_STATES.format(
        password=PASSWORD, own=LEI, ada=email_of("states", "ada"), people=PEOPLE_LEI,
        record=RECORD_LEI, client=CLIENT_LEI, code=CODE,
    )  # fmt: skip
    KNOWN.update(json.loads(site.shell(code).replace(site.url, "")))
    with Filer.of(site, YEAR, LEI) as filer:
        for number, rows in ((REPLACED, 20), (SIGNED, 120)):
            filer.file(make_register(rows=rows).encode(), number=number)
            assert filer.sign(number).status_code in {200, 201}
        good = lar(filer, rows=120)
        filer.file(good.replace(b"|250000|", b"|much|") + b"2|three|fields\n", number=BROKEN)
        filer.file(lar(filer, rows=120, fail=("V617:3", "V625-2:12")), number=WRONG)
        filer.file(lar(filer, rows=120, fail=("Q611:2", "Q631:3", "Q637")), number=UNUSUAL)
        filer.file(lar(filer, rows=20, fail=("Q611:2",)), number=VERIFIED)
        filer.verify("quality", number=VERIFIED)
        filer.verify("macro", number=VERIFIED)
        stuck = filer.begin()["id"]["sequenceNumber"]
        contact = site.shell(LEAVE_WAITING.format(lei=LEI, number=stuck))
        filer.begin()
        answer = filer.call("GET", f"/submissions/{SIGNED}/receipt")
    KNOWN["contact"] = contact.removeprefix(site.url)
    KNOWN.update({"receipt": answer.json()["receipt"], "receipt file": answer.text})


def end_soon(seconds: float, *steps: Step, path: str = PROFILE, who: str = "sam") -> State:
    """Return the state of a page whose session ends so soon, or has ended."""
    before = partial(end_session_in, seconds=seconds)
    name = "You are signed out" if seconds < 60 else "Your session is about to end"
    dialog: Step = lambda page: page.get_by_role("dialog", name=name).wait_for()  # noqa: E731
    return at(path, dialog, *steps, who=who, before=before)


def change_account(page: Page) -> None:
    """Sign in as another person in another tab."""
    other = page.context.new_page()
    other.goto(page.url.replace(PROFILE, "/sign-in/?next=/"))
    other.fill("[name=username]", "rae")
    other.fill("[name=password]", PASSWORD)
    other.click("main [type=submit]")
    other.wait_for_url(re.compile("/$"))
    other.close()
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.get_by_role("dialog", name="You are signed in with another account").wait_for()


def drop_file_of_other(page: Page) -> None:
    """Drop a file of another institution on the page."""
    page.evaluate(DROP, ["lar.txt", make_register().replace(LEI, "529900OTHERBANK00017")])
    page.locator("#send:disabled").wait_for()


def cancel_upload(page: Page) -> None:
    """Cancel an upload of which no part arrives."""
    page.route(re.compile(r"/uploads/[0-9a-f]{32}/?$"), lambda route: None)
    press("Upload")(page)
    page.click("#cancel")
    page.locator("#cancel").wait_for(state="hidden")
    page.unroute_all(behavior="ignoreErrors")


def refuse_upload(page: Page) -> None:
    """Send a file that the service does not take, since the session has ended meanwhile."""
    page.context.clear_cookies()
    press("Upload")(page)
    see("#problem *")(page)


def sign_up(site: Service, look: Look) -> str:
    """Create an account; return the path of the link that confirms its address."""
    email = email_of("states", "una")
    fields = {"first_name": "Una", "last_name": "Example", "email": email}
    page = look.at(reverse("sign-up"))
    for step in enter("Create account", "main", **fields, password="quiet lake 9 morning"):
        step(page)
    page.wait_for_url("**/sign-up/sent/")
    return emailed_path(site, email, r"/sign-up/\S+/\S+")


def bring_many(page: Page) -> None:
    """Choose a file of a client, and one of an institution of someone else."""
    files = {lei: make_register(lei).encode() for lei in (CLIENT_LEI, LEI)}
    page.locator("#file").set_input_files(
        [{"name": f"{lei}.txt", "mimeType": "", "buffer": each} for lei, each in files.items()]
    )


def bring_receipt(page: Page, *, records: str = "") -> None:
    """Choose the file of the receipt. records: what stands before their number."""
    content = KNOWN["receipt file"].replace('"records":', f'"records":{records}')
    bring(content, "receipt.json", "#receipt-file")(page)


def as_sam(rest: str, *steps: Step, **facts: Any) -> State:
    """Return the state of a page of Sam's filing."""
    return at(FILING + rest, *steps, who="sam", **facts)


def upload(content: bytes | str, *steps: Step, name: str = "lar.txt") -> State:
    """Return the state of the page on which a file is uploaded, with this file."""
    return as_sam(f"{EMPTY}/upload/", bring(content, name), see("#file-checks *"), *steps)


# The pages that each person opens. First those of Sam's filing.
FILING_PAGES = (
    *("", f"{EMPTY}/", f"{EMPTY}/upload/", f"{EMPTY}/discard/", f"{BROKEN}/"),
    *(f"{BROKEN}/formatting-errors/", f"{BROKEN}/formatting-errors/?group=1"),
    *(f"{WRONG}/", f"{WRONG}/edits/", f"{WRONG}/edits/rules/2025/", f"{WRONG}/edits/V617/"),
    *(f"{WRONG}/edits/report/", f"compare/{WRONG}/{UNUSUAL}/", f"{UNUSUAL}/", f"{STUCK}/"),
    *(f"{UNUSUAL}/edits/", f"{UNUSUAL}/edits/Q611/", f"{UNUSUAL}/edits/Q637/"),
    *(f"{UNUSUAL}/verify/quality/", f"{UNUSUAL}/verify/macro/", f"{VERIFIED}/"),
    *(f"{VERIFIED}/sign/", f"{SIGNED}/", f"{SIGNED}/receipt/", f"{SIGNED}/verify/quality/"),
    *(f"{REPLACED}/", f"{REPLACED}/receipt/", "upload/"),
)
ADDRESSES = {
    "sam": (
        *("/filing/", "/filing/deadlines/", f"/filing/{LEI}/", f"/filing/{LEI}/people/"),
        *(f"/filing/{LEI}/people/administer/", PROFILE),
        *(f"{SECOND_FACTOR}{page}" for page in ("settings/", "app/", "passkey/")),
    ),
    "ann": (
        *("/filing/institutions/", "/filing/FLOWTEST000000000001/webhooks/"),
        "/filing/FLOWTEST000000000001/webhooks/{webhook}/",
    ),
    "root": ("/", "/device/", reverse("identity:logout"), f"{reverse('identity:auth')}?{CONSENT}"),
    "moe": (PEOPLE, f"{PEOPLE}leave/"),
    "pia": (
        *(f"{PEOPLE}{page}" for page in ("", "invite/", "confirm/", "joining/", "leave/")),
        *(f"{PEOPLE}{page}" for page in ("{moe}/", "{moe}/end/", "invitations/{open}/")),
        f"{PEOPLE}requests/{{asking}}/",
    ),
    "ivo": ("/filing/", "{invitation}"),
    "rae": (RECORD, "/filing/register/"),
    "dot": (
        *(DELEGATIONS, f"{DELEGATIONS}?code={CODE}", f"{DELEGATIONS}{{delegation}}/"),
        *(f"{DELEGATIONS}{{delegation}}/end/", f"/filing/{CLIENT_LEI}/{YEAR}/"),
    ),
    "val": (
        *("/filing/", "/filing/organizations/", "/filing/upload/"),
        *(f"{ORGANIZATION}{page}" for page in ("", "invite/", "log/", "end/")),
        *(f"{ORGANIZATION}people/{{member}}/{page}" for page in ("", "end/")),
        *(f"{ORGANIZATION}clients/{{delegation}}/{page}" for page in ("", "end/")),
    ),
    "": ("{invitation}", "{forgotten}", "{confirm}", "{contact}"),
}
BY_HAND = {"/filing/", "/filing/deadlines/", PROFILE}
PROPOSAL = {"tax_id": "98-7654321", "reason": "The IRS gave us a new one."}
NEW_BANK = {"lei": "529900NEWSTATES00021", "name": "New Bank", "agency": "3"} | PROPOSAL
TOKEN = {"token-name": "nightly upload", "token-leis": "", "token-days": "7"}

FILERS: dict[str, State] = {
    **{f"filing {rest}": as_sam(rest) for rest in FILING_PAGES},
    **{
        f"{who} {path}": at(path, who=who, by_hand=path in BY_HAND)
        for who, paths in ADDRESSES.items()
        for path in paths
    },
    # What the page of a file says of it.
    "upload of the filed file": upload(make_register(rows=120)),
    "upload of another year": upload(make_register().replace(f"|{YEAR}|", "|2019|", 1)),
    "upload of another institution": as_sam(f"{EMPTY}/upload/", drop_file_of_other),
    "upload of a CSV": upload(b"1|x\n", name="lar.csv"),
    "upload of a NUL byte": upload(b"1|x\n2|\0"),
    "upload canceled": upload(make_register(), cancel_upload),
    "upload refused": upload(make_register(), refuse_upload),
    "edit reviewed": as_sam(
        f"{UNUSUAL}/edits/Q631/", *enter("Mark as reviewed and go to the next", "[role=status]")
    ),
    "sign without certifying": as_sam(f"{VERIFIED}/sign/", *enter("Sign")),
    "sign after a while": as_sam(f"{VERIFIED}/sign/", before=make_proof_old),
    "sign in again": as_sam(
        f"{VERIFIED}/sign/", follow("Sign in again"), see("[name=password]"), before=make_proof_old
    ),
    "sign refused": as_sam(f"{BROKEN}/sign/", status=400),
    "invitation of another person": at("{invitation}", who="rae", status=403),
    "program unknown": at(
        f"{reverse('identity:auth')}?client_id=x&response_type=code", who="root", status=400
    ),
    "withdrawn invitation": at("{spent}", who="ivo", status=410),
    "institution of others": at(f"/filing/{CLIENT_LEI}/", who="sam", status=403),
    # Receipts.
    "receipt genuine": at(
        RECEIPT,
        lambda page: page.fill("[name=receipt]", KNOWN["receipt"]),
        press("Check number"),
        see("#answer-heading"),
    ),
    "receipt changed": at(
        RECEIPT,
        partial(bring_receipt, records="1"),
        press("Check receipt file"),
        see("#answer-heading"),
    ),
    "filed file": at(
        RECEIPT,
        bring(make_register(rows=120), field="#filed-file"),
        press("Check file"),
        see("#answer-heading"),
    ),
    # Refused forms, and pages after an act.
    "roles without a reason": at(
        f"{PEOPLE}{{moe}}/", *enter("Save roles", "#id_reason", roles=""), who="pia"
    ),
    "invitation refused": at(f"{PEOPLE}invite/", *enter("Send invitation"), who="pia"),
    "list confirmed": at(
        f"{PEOPLE}confirm/", *enter("Confirm the list", "[role=status]"), who="pia"
    ),
    "request refused": at(
        f"{PEOPLE}requests/{{asking}}/", *enter("Refuse", "[role=alert]"), who="pia"
    ),
    "invitation accepted": at("{invitation}", *enter("Accept invitation", "h1"), who="ivo"),
    "many files planned": at("/filing/upload/", bring_many, see("#files tr"), who="val"),
    "many files uploaded": at(
        "/filing/upload/",
        bring_many,
        press(re.compile("^Upload 1 file")),
        see("=All 2 files are done."),
        who="val",
    ),
    "record refused": at(RECORD, *enter("Propose the change", tax_id="1"), who="rae"),
    "record waiting": at(
        RECORD, *enter("Propose the change", "[role=status]", **PROPOSAL), who="rae"
    ),
    "registration refused": at("/filing/register/", *enter("Send to the help desk"), who="rae"),
    "registration waiting": at(
        "/filing/register/", *enter("Send to the help desk", "[role=status]", **NEW_BANK), who="rae"
    ),
    "token refused": at(PROFILE, *enter("Create a token"), who="ann"),
    "token created": at(PROFILE, *enter("Create a token", "#new-token", **TOKEN), who="sam"),
    "contact agrees": at("{contact}", *enter("Agree", "h1")),
    # Sessions and second factors.
    "session ends": end_soon(200),
    "session ends at home": end_soon(200, path="/"),
    "session of staff ends": end_soon(200, path=reverse("admin:index"), who="root"),
    "session ended": end_soon(4),
    "other account": end_soon(4, change_account),
    "second step": at(
        reverse("identity:login"),
        *enter("Sign in", "[name=code]", username="two", password=PASSWORD),
        *enter("Sign in with the code", code="WRONG"),
    ),
    "device to allow": at(
        "/device/", *enter("Continue", "[name=decision]", user_code="BCDFGHJK"), who="root"
    ),
    "device allowed": at(
        "/device/",
        *enter("Continue", "[name=decision]", user_code="BCDFGHJK"),
        *enter("Allow", "h1"),
        who="root",
    ),
    "device refused": at("/device/", *enter("Continue", user_code="X"), who="root"),
    "converted to be filed": convert(
        PROBLEMS, partial(fill_sheet, lei=LEI), *CONVERTED[1:], who="sam"
    ),
}

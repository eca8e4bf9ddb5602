"""The parts of documents that the service makes of its own tables, settings and examples.

The examples of the API guide show each call once, as a file in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from config.guides import api_calls, call_order
from config.guides.api_calls import FilingCall
from config.identity import device_grant
from config.limits.policies import LimitPolicy
from filing.pages.tool_pages import CallExample
from filing.statuses import Status

_WAIT = "Wait: the service is working."
NEXT = {
    Status.CREATED: "Upload a file.",
    Status.PARSED_WITH_ERRORS: "Read the formatting errors, correct the file, and create a new "
    "submission.",
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: "Read the edits, correct the file, and create a new "
    "submission.",
    Status.QUALITY_ERRORS: "Read the quality edits. Verify them, or correct the file and create a "
    "new submission.",
    Status.MACRO_ERRORS: "Read the edits. Verify those of each kind, or correct the file and "
    "create a new submission.",
    Status.VERIFIED: "Ready to certify and sign: no one has certified it yet.",
    Status.SIGNED: "Save the receipt.",
    Status.FAILED: "Create a new submission. If it happens again, contact the help desk.",
}
_UNITS = {1: "second", 60: "minute", 3600: "hour"}
# The limits of requests, by their names in the settings, and what each counts.
REQUESTS = {
    "authenticated": "Calls with a token",
    "public": "Calls without a token",
    "published": "Megabytes of published files",
    "public-upload": "Files sent to the public checks",
    "receipt-check": "Checks of receipts",
    "sign-in": "Sign-ins, and calls that ask for a token",
}

DOCUMENTS = settings.BASE_DIR / "docs"
PICTURES = "pictures"
SAMPLES = DOCUMENTS / "api"
LANGUAGES = {"curl": "sh", "Python": "py", "R": "R"}  # each with the ending of its files

# In the order in which they are pasted, each with what it does.
TITLES = {
    "device-login": "Sign in on another device",
    "start-a-filing": "Start a filing",
    "create-a-submission": "Create a submission",
    "upload-a-file": "Upload a file",
    "follow-the-status": "Follow the status",
    "follow-the-events": "Follow the events",
    "formatting-errors": "Read the formatting errors",
    "edits": "Read the edits",
    "verify-edits": "Verify the edits",
    "sign": "Sign",
    "save-the-receipt": "Save the receipt",
    "check-the-receipt": "Check the receipt",
    "retry": "Repeat a call",
    "idempotency-key": "Create a submission once",
    "resumable-upload": "Upload a file in parts",
}


def make_insert(text: str) -> str | SafeString:
    """Return the part that a block of a document names.

    Raises: KeyError for a name that is of no part.
    """
    name, *words = text.split()
    return PARTS[name](*words)


def _example(name: str) -> SafeString:
    context = {"title": TITLES[name], "calls": call_examples(name)}
    return render_to_string("components/same_call.html", context)


def call_examples(name: str) -> list[CallExample]:
    """Return an example in each language."""
    return [
        CallExample(language, (SAMPLES / f"{name}.{ending}").read_text(encoding="utf-8").rstrip())
        for language, ending in LANGUAGES.items()
    ]


def _calls(*names: str) -> str:
    return "\n".join(map(_call, api_calls.annual_calls(names)))


def _call(call: FilingCall) -> str:
    quarter = api_calls.quarterly_call(call)
    of_quarter = f" ({_reference('of a quarter', quarter.name)})" if quarter else ""
    address = f"`{call.method} {api_calls.shorten_path(call.path)}`"
    return f"- {_reference(call.summary, call.name)}{of_quarter}: {address}"


def _reference(text: str, name: str) -> str:
    return f"[{text}]({reverse('redoc')}#{name})"


def _statuses() -> str:
    signing = settings.SIGNING_ENABLED
    rows = [
        (str(status.value), status.message, status.description(signing=signing), _next(status))
        for status in sorted(Status, key=lambda status: (status < 0, status))
        if signing or status is not Status.SIGNED
    ]
    return _table(("Code", "Message", "Meaning", "What you do"), rows)


def _next(status: Status) -> str:
    if status is Status.VERIFIED and not settings.SIGNING_ENABLED:
        return "Nothing: on this site you do not sign."
    return NEXT[status] if status.is_settled else _WAIT


def _errors() -> str:
    rows = [(str(error.status), error.message, error.advice) for error in api_calls.filing_errors()]
    return _table(("Status", "Message", "What to do"), rows)


def _limits() -> str:
    streams = settings.STREAMS_PER_CALLER
    rows = [
        ("A file of a submission", _bytes(settings.UPLOAD_LIMIT), "413"),
        ("A file sent to the public checks", _bytes(settings.PUBLIC_UPLOAD_LIMIT), "413"),
        *((text, _rate(settings.LIMITS[name]), "429") for name, text in REQUESTS.items()),
        (
            "Downloads and event streams of one caller",
            f"{streams:,} at a time in each web process" if streams else "no limit",
            "429",
        ),
        (
            "Event streams of all callers",
            f"{settings.PROGRESS_LISTENERS:,} at a time in each web process",
            "503",
        ),
        ("Items on a page of an answer", f"{settings.HMDA_PAGE_SIZE:,}", ""),
        ("Lifetime of an access token", *_token_lifetime()),
        *_personal_tokens(),
    ]
    return _table(("What", "Limit", "Beyond it"), rows)


def _rate(policy: LimitPolicy | None) -> str:
    if policy is None:
        return "no limit"
    return f"{policy.burst:,} at once, then {policy.count:,} each {_UNITS[policy.seconds]}"


def _bytes(size: int) -> str:
    return f"{filesizeformat(size)} ({size:,} bytes)"


def _token_lifetime() -> tuple[str, str]:
    if settings.EMBEDDED_PROVIDER:
        return f"{settings.ACCESS_TOKEN_SECONDS:,} seconds", "401"
    longest = settings.ACCESS_TOKEN_MAX_SECONDS
    return f"that of the identity provider, at most {longest:,} seconds", "401"


def _personal_tokens() -> list[tuple[str, str, str]]:
    if not settings.PERSONAL_TOKENS_ENABLED:
        return [("Personal access tokens", "not on this site", "")]
    return [
        ("Lifetime of a personal access token", f"{settings.PERSONAL_TOKEN_DAYS:,} days", "401")
    ]


def _variables() -> str:
    rows = [
        ("`SITE`", "the address of this site", f"`{settings.PUBLIC_URL}`"),
        ("`TOKEN`", "your token", ""),
        ("`LEI`", "the LEI of the institution", "`529900EXAMPLELEI0001`"),
        ("`YEAR`", "the filing period: its year", "`2025`"),
        ("`FILE`", "the file to upload", "`lar.txt`"),
        ("`ISSUER`", "the identity provider, for device login", f"`{settings.OIDC_ISSUER}`"),
        ("`CLIENT`", "its client, for device login", f"`{device_grant.CLIENT_ID}`"),
    ]
    return _table(("Variable", "What it is", "Here, or as an example"), rows)


def _webhooks() -> str:
    text = (
        "Instead of asking for the status, a program can be called when it changes. Calls are "
        "signed as [Standard Webhooks](https://www.standardwebhooks.com/) describes: check the "
        "signature with your secret before you use what was sent, and answer soon with a status of "
        "200 to 299. The same event may come more than once: its id tells."
    )
    about = "webhooks.md"
    if (DOCUMENTS / about).is_file():
        text = f"{text} [Webhooks]({about}) has the events, and how to check a signature."
    return text


def _environment() -> str:
    same = (
        "A test environment is a site of its own, with its own accounts and tokens. It takes the "
        "same calls and runs the same edits, but does not sign: there is no signature, receipt or "
        "summary, these addresses answer 404, and nothing counts as filed. Submissions end with "
        f"status {Status.VERIFIED.value}."
    )
    here = (
        "**This site is not a test environment:** what you sign here counts as filed."
        if settings.SIGNING_ENABLED
        else "**This site is a test environment.**"
    )
    return f"{same}\n\n{here}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


PARTS: dict[str, Callable[..., str | SafeString]] = {
    "picture": call_order.draw_call_order,
    "variables": _variables,
    "example": _example,
    "calls": _calls,
    "statuses": _statuses,
    "errors": _errors,
    "limits": _limits,
    "webhooks": _webhooks,
    "environment": _environment,
}

"""What each command of `hmda` that calls a server does; it returns the exit code."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from filing.client import api, public_tools, resumption
from filing.client.api import FilingClient
from filing.client.authorization import (
    CLIENT_ID,
    URL_VARIABLE,
    VARIABLE,
    NotSignedIn,
    Prompt,
    TokenFile,
    sign_in,
)
from filing.client.batch import Filed, FilingWishes, file_all, save_receipt
from filing.client.calls import Connection, Refused, Token, Trouble, call_with_retries, new_key
from filing.client.command import describe_error, print_json, read_period, report_failure
from filing.client.outcome import ENDINGS, Ending, Event, NotRun, Outcome
from filing.client.steps import CannotSign, FilingRun, read_number, require_signer
from filing.client.transmittal import NoSheet, describe_misfit
from filing.statuses import Status

_BRIEF_PATIENCE = 60.0  # seconds; for commands that only ask
_EDIT_PAGES = 1000


def run_command(options: Namespace) -> int:
    """Run the command of the options."""
    try:
        return int(_COMMANDS[options.command](options))
    except (Refused, CannotSign) as error:
        return report_failure(options, Ending.FAILED, str(error))
    except (Trouble, OSError, NoSheet, ValueError) as error:
        return report_failure(options, Ending.UNREACHABLE, describe_error(error))


def _site(options: Namespace) -> str:
    """Return the address of the server."""
    url = options.url or os.environ.get(URL_VARIABLE)
    if not url:
        url = next(reversed(TokenFile(resumption.settings_folder()).sites()), "")
    if not url:
        raise NotSignedIn(f"Name the server: add --url or set {URL_VARIABLE}.")
    return str(url).rstrip("/")


def _token(url: str) -> str | Token:
    """Return the token of the environment, or of the file, which is refreshed."""
    if token := os.environ.get(VARIABLE):
        return token
    tokens = TokenFile(resumption.settings_folder())
    tokens.token(url)  # refuses at once
    return lambda was_refused: tokens.token(url, was_refused=was_refused)


def _file(options: Namespace) -> int:
    from filing.client.console import Board

    url = _site(options)
    years = api.ask_site_years(url)
    wishes = FilingWishes(
        verify=options.verify,
        sign=bool(options.sign),
        again=options.again,
        reason=options.reason,
        receipts=options.receipts,
        state=resumption.state_folder(),
        patience=options.timeout,
        years=years,
    )
    for path in options.paths:
        path.open("rb").close()
        if fault := describe_misfit(path, options.lei, read_period(options)):
            print(f"hmda: {path}: {fault} It cannot be certified.", file=sys.stderr)
    results: list[Filed] = []

    def file_these(paths: list[Path]) -> None:
        for filed in file_all(
            paths,
            url=url,
            token=_token(url),
            wishes=wishes,
            parallel=max(options.parallel, 1),
            lei=options.lei,
            period=read_period(options),
            watch=board.watch if len(options.paths) == 1 else lambda event: None,
        ):
            results.append(filed)
            board.show(filed)

    with Board(sys.stdout, sys.stderr, len(options.paths), quiet=options.json) as board:
        file_these(options.paths)
    unsigned = [filed for filed in results if isinstance(filed.outcome.error, CannotSign)]
    if unsigned and _signs_in_again(options, url):
        results = [filed for filed in results if filed not in unsigned]
        with Board(sys.stdout, sys.stderr, len(unsigned), quiet=options.json) as board:
            file_these([filed.path for filed in unsigned])
    for year in sorted({filed.period.year for filed in results if filed.period}):
        if notice := years.notice(year):
            print(f"hmda: {notice}", file=sys.stderr)
    if options.sign is False:
        _say_who_signs(results)
    endings = [filed.outcome.ending for filed in results]
    if options.json:
        counts = {ending.word: endings.count(ending) for ending in Ending if ending in endings}
        print_json({"files": [filed.as_json() for filed in results], "endings": counts})
    elif len(results) > 1:
        board.summarize(endings)
    return max(endings, default=Ending.DONE)  # the one that needs most attention


def _signs_in_again(options: Namespace, url: str) -> bool:
    """Offer to sign in as someone who may sign; return whether a person did."""
    is_program = options.json or VARIABLE in os.environ
    if is_program or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Sign in as someone who may sign, and go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        return False
    tokens = TokenFile(resumption.settings_folder())
    former = tokens.grant(url)
    client_id = former.client_id if former else CLIENT_ID
    tokens.save(url, sign_in(url, issuer="", client_id=client_id, show=_show_prompt))
    return True


def _say_who_signs(results: list[Filed]) -> None:
    """Print what is left for a signer."""
    for filed in results:
        if filed.outcome.status.get("code") == Status.VERIFIED:
            command = f"hmda sign {filed.lei} {filed.period}"
            print(f"hmda: {filed.path} is ready to sign: {command}", file=sys.stderr)


def _show_prompt(prompt: Prompt) -> None:
    print(f"Open {prompt.complete_address}", file=sys.stderr)
    print(f"and confirm the code {prompt.code}", file=sys.stderr, flush=True)


def _opened(options: Namespace) -> tuple[FilingClient, FilingRun]:
    """Return a client, and a run with the submission of the options."""
    url = _site(options)
    with ExitStack() as stack:  # closes it after a refusal
        client = stack.enter_context(FilingClient(url, _token(url)))
        patience = getattr(options, "timeout", _BRIEF_PATIENCE)
        run = FilingRun(client, options.lei, options.period, patience=patience)
        if options.submission:
            call = partial(client.submission, options.lei, options.period, options.submission)
        else:
            call = partial(client.latest, options.lei, options.period)
        answer = call_with_retries(call, patience=_BRIEF_PATIENCE)
        run.outcome.submission = read_number(answer)
        run.outcome.status = answer.body["status"]
        stack.pop_all()
    return client, run


def _status(options: Namespace) -> int:
    from filing.client.console import Screen

    client, run = _opened(options)
    with client:
        if options.wait and not Status(run.code).is_settled:
            with Screen(sys.stderr, is_quiet=options.json) as screen:
                run.watch = screen.watch
                run.wait()
        if run.code == Status.SIGNED:
            run.fetch_receipt()
    return _show(options, run.outcome)


def _show(options: Namespace, outcome: Outcome) -> int:
    """Print an outcome; a submission that is still in work is done as far as asked."""
    from filing.client.console import Screen

    code = Status(outcome.status["code"])
    is_open = code not in ENDINGS and code != Status.FAILED
    if options.json:
        print_json(outcome.as_json() | ({"ending": "in-work"} if is_open else {}))
    else:
        Screen(sys.stdout).show(outcome)
    return Ending.DONE if is_open else outcome.ending


def _edits(options: Namespace) -> int:
    client, run = _opened(options)
    with client:
        if not options.code:
            run.review()
            return _show(options, run.outcome)
        rows: list[dict[str, Any]] = []
        for page in range(1, _EDIT_PAGES):
            call = partial(client.edit, *run.submission, options.code, page=page)
            body = call_with_retries(call, patience=_BRIEF_PATIENCE).body
            rows += body["rows"]
            if len(rows) >= body["total"] or not body["rows"]:
                break
    if options.json:
        print_json({"edit": options.code, "total": body["total"], "rows": rows})
        return Ending.DONE
    for row in rows:
        values = ", ".join(f"{field['name']}: {field['value']}" for field in row["fields"])
        print(f"{row['id']}: {values}")
    return Ending.DONE


def _verify(options: Namespace) -> int:
    client, run = _opened(options)
    with client:
        run.watch = _say_unrun
        if options.undo or options.kind:
            run.fetch_unrun()
            for kind in [options.kind] if options.kind else ["quality", "macro"]:
                call = partial(
                    client.verify,
                    *run.submission,
                    kind,
                    verified=not options.undo,
                    key=new_key(),
                )
                answer = call_with_retries(call, patience=_BRIEF_PATIENCE)
                run.outcome.status = answer.body["status"]
        else:
            run.review()
            run.verify()
    return _show(options, run.outcome)


def _say_unrun(event: Event) -> None:
    """Print which edits were not run, before a person answers for the file."""
    if isinstance(event, NotRun):
        for sentence in event.sentences():
            print(sentence, file=sys.stderr)


def _sign(options: Namespace) -> int:
    client, run = _opened(options)
    with client:
        if run.code == Status.SIGNED:
            run.fetch_receipt()
        else:
            require_signer(client, options.lei, options.period, patience=_BRIEF_PATIENCE)
            run.watch = _say_unrun
            run.fetch_unrun()
            run.sign(options.reason)
        if options.receipts:
            save_receipt(client, run.submission, options.receipts)
    return _show(options, run.outcome)


def _receipt(options: Namespace) -> int:
    client, run = _opened(options)
    with client:
        path = save_receipt(client, run.submission, options.receipts)
    if options.json:
        print_json({"receiptFile": str(path), **json.loads(path.read_bytes())})
    else:
        print(path)
    return Ending.DONE


def _check_receipt(options: Namespace) -> int:
    if options.keys and options.keys != "site":
        answer = public_tools.check_receipt_by_keys(
            options.path, public_tools.read_keys(Path(options.keys))
        )
    else:
        with Connection(_site(options)) as connection:
            if options.keys:
                keys = connection.call("GET", public_tools.KEYS).body
                answer = public_tools.check_receipt_by_keys(options.path, keys)
            else:
                answer = public_tools.check_receipt_by_site(connection, options.path)
    if options.json:
        print_json(answer)
    elif answer["genuine"]:
        print(f"Genuine: receipt {answer['receipt']}, signed at {answer['signedAt']}.")
        print(f"SHA-256 of the file: {answer['sha256']}; records: {answer['records']}.")
        if answer.get("replacedBy"):
            print(f"Replaced by: {answer['replacedBy']}.")
    else:
        print(f"Not genuine: {answer['message']}")
    return Ending.DONE if answer["genuine"] else Ending.MUST_BE_CORRECTED


def _login(options: Namespace) -> int:
    url = _site(options)
    client_id = options.client_id or CLIENT_ID
    grant = sign_in(url, issuer=options.issuer, client_id=client_id, show=_show_prompt)
    tokens = TokenFile(resumption.settings_folder())
    tokens.save(url, grant)
    if options.json:
        print_json({"url": url, "tokenFile": str(tokens.path)})
    else:
        print(f"Signed in to {url}.")
    return Ending.DONE


def _logout(options: Namespace) -> int:
    url = _site(options)
    was_signed_in = TokenFile(resumption.settings_folder()).remove(url)
    if options.json:
        print_json({"url": url, "wasSignedIn": was_signed_in})
    else:
        print(f"Signed out of {url}." if was_signed_in else f"You were not signed in to {url}.")
    return Ending.DONE


def _public(options: Namespace) -> int:
    return public_tools.run_public_tool(options, _site(options))


_COMMANDS: dict[str, Callable[[Namespace], int]] = {
    "file": _file,
    "status": _status,
    "edits": _edits,
    "verify": _verify,
    "sign": _sign,
    "receipt": _receipt,
    "check-receipt": _check_receipt,
    "login": _login,
    "logout": _logout,
    "browse": _public,
    "uli": _public,
    "rate-spread": _public,
}

"""`hmda`: the command line. Each command imports what it needs when it runs."""

from __future__ import annotations

import json
import sys
from argparse import (
    ArgumentParser,
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import date
from pathlib import Path
from typing import Any

from filing.client.outcome import Ending
from filing.client.terminal import PlainOutput
from filing.lar import years
from filing.lar.years import Period

EXIT_CODES = """exit codes:
   0  done: filed, verified, signed, genuine; or no edit was triggered
   1  the file must be corrected; or the receipt is not genuine
   2  quality or macro edits must be verified
   3  the server refused or failed
   4  the server cannot be reached, you are not signed in, or an argument is wrong
  10  check: quality or macro edits must be verified
  11  check: syntactical or validity edits must be corrected
  12  check: lines have formatting errors, cells cannot be read, or the file is empty
With convert, 10 to 12 mean the same of the new file, and 12 also that cells cannot be read and no
file was written.
With several files it is the highest code.

environment: HMDA_URL the server, HMDA_TOKEN an access token"""
_USAGE = 4
_YEARS_AHEAD = 5
_ARGPARSE_EXIT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # The site says which it takes; without it, a later year is more likely a slip than a file.
    years.accept_later_years(date.today().year + _YEARS_AHEAD)  # noqa: DTZ011 -- a year will do
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
    except SystemExit as error:
        return _USAGE if error.code == _ARGPARSE_EXIT else int(error.code or 0)
    if options.command in ("check", "convert"):
        from filing.client.local_commands import run_local_command as run_command
    else:
        from filing.client.commands import run_command

    out, err = PlainOutput(sys.stdout), PlainOutput(sys.stderr)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            return run_command(options)
    except KeyboardInterrupt:
        print("Interrupted. Run the command again to go on.", file=sys.stderr)
        return 130


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="hmda",
        description="File and check Loan Application Registers, and use the public HMDA tools.",
        epilog=EXIT_CODES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str, *, online: bool = True) -> ArgumentParser:
        subparser: ArgumentParser = commands.add_parser(name, help=text, description=text)
        subparser.add_argument("--json", action="store_true", help="print only a JSON document")
        if online:
            subparser.add_argument(
                "--url", help="server; default: HMDA_URL, or where you signed in"
            )
        return subparser

    def of_submission(name: str, text: str) -> ArgumentParser:
        subparser = command(name, text)
        subparser.add_argument("lei", metavar="LEI")
        subparser.add_argument("period", type=_period, metavar="PERIOD", help="2024 or 2024-Q1")
        subparser.add_argument(
            "submission", type=int, nargs="?", metavar="NUMBER", help="default: the latest"
        )
        return subparser

    _add_file(command("file", "file LARs: upload, wait, and optionally verify and sign"))
    _add_check(command("check", "check LARs on this machine, without a server", online=False))
    _add_convert(command("convert", "make a LAR of a spreadsheet, without a server", online=False))
    status = of_submission("status", "show the status of a submission")
    status.add_argument("--wait", action="store_true", help="wait until processing finishes")
    _add_timeout(status)
    edits = of_submission("edits", "list the edits that were triggered")
    edits.add_argument("--code", help="list the records that triggered this edit")
    verify = of_submission("verify", "verify quality and macro edits")
    verify.add_argument("--kind", choices=("quality", "macro"), help="default: both")
    verify.add_argument("--undo", action="store_true", help="remove the verification")
    sign = of_submission("sign", "certify that the data is accurate and complete, and sign")
    _add_reason(sign)
    sign.add_argument("--receipts", type=Path, metavar="FOLDER", help="save the receipt there")
    receipt = of_submission("receipt", "save the signed receipt of a submission")
    receipt.add_argument("--receipts", type=Path, metavar="FOLDER", default=Path())
    genuine = command("check-receipt", "check whether a receipt file is genuine")
    genuine.add_argument("path", type=Path, metavar="FILE")
    genuine.add_argument(
        "--keys",
        nargs="?",
        const="site",
        metavar="FILE",
        help="check the signature here, with the keys in FILE, or those the site publishes",
    )
    _add_public(command)
    login = command("login", "sign in with a code that you confirm in a browser")
    login.add_argument("--issuer", default="", help="default: the provider of the site")
    login.add_argument("--client-id", default="", help="default: hmda-cli")
    command("logout", "forget the tokens of the site")
    return parser


def _add_file(parser: ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--lei", default="", help="default: that of the transmittal sheet")
    _add_period(parser)
    parser.add_argument("--verify", action="store_true", help="verify quality and macro edits")
    parser.add_argument(
        "--sign",
        action=BooleanOptionalAction,
        help="certify and sign; without it, the filing is prepared and a signer signs it",
    )
    parser.add_argument("--parallel", type=int, default=1, metavar="N", help="files at once")
    parser.add_argument("--again", action="store_true", help="also if the same file is signed")
    _add_reason(parser)
    parser.add_argument(
        "--receipts", type=Path, metavar="FOLDER", help="save signed receipts there"
    )
    _add_timeout(parser)


def _add_reason(parser: ArgumentParser) -> None:
    parser.add_argument("--reason", default="", help="why the filing is signed again")


def _add_check(parser: ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", metavar="FILE")
    _add_period(parser)
    parser.add_argument(
        "--rules",
        type=int,
        choices=years.supported_years(),
        metavar="YEAR",
        help="show what the rules of this year find that those of the file's year do not",
    )
    parser.add_argument("--census", type=Path, metavar="FILE", help="census file of the year")
    parser.add_argument("--csv", action="store_true", help="print only CSV, a line per finding")


def _add_convert(parser: ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="FILE", help="a workbook or CSV")
    _add_period(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: YEAR-4-LEI.txt")
    parser.add_argument("--columns", action="store_true", help="only show the columns and fields")
    parser.add_argument("--census", type=Path, metavar="FILE", help="census file of the year")
    for name, value, text in (
        ("--map", "HEADER=FIELD", "the field of a column, by its header or letter; or no field"),
        ("--transmittal", "FIELD=VALUE", "a field of the transmittal sheet"),
        ("--fill", "FIELD=VALUE", "a value for blank cells of a field"),
        (
            "--option",
            "NAME=VALUE",
            "how values are read, such as dates=dmy, percent=fraction or sheet=Loans",
        ),
    ):
        parser.add_argument(name, action="append", default=[], metavar=value, help=text)
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="a JSON file with map, sheet and options, instead of the options above",
    )


def _add_public(command: Callable[[str, str], ArgumentParser]) -> None:
    browse = command("browse", "read the published data: counts, or the records themselves")
    browse.add_argument(
        "view", choices=("aggregations", "count", "filers", "csv", "pipe", "parquet")
    )
    browse.add_argument(
        "filters", nargs="*", metavar="NAME=VALUES", help="such as years=2024 states=CA,NV"
    )
    browse.add_argument("--nationwide", action="store_true", help="all states")
    browse.add_argument("--output", type=Path, metavar="FILE", help="default: print")
    uli = command("uli", "compute or check the check digits of ULIs")
    uli.add_argument("action", choices=("make", "check"))
    uli.add_argument("values", nargs="+", metavar="ID", help="loan identifiers, or ULIs to check")
    spread = command("rate-spread", "compute the rate spread of a loan")
    spread.add_argument("--action-taken", type=int, default=1, metavar="CODE")
    spread.add_argument("--term", required=True, metavar="YEARS")
    spread.add_argument("--type", choices=("FixedRate", "VariableRate"), default="FixedRate")
    spread.add_argument("--apr", required=True, metavar="PERCENT")
    spread.add_argument("--lock-in-date", required=True, metavar="YYYY-MM-DD")
    spread.add_argument("--reverse-mortgage", type=int, default=2, metavar="CODE")


def _add_period(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--year",
        type=int,
        choices=years.supported_years(),
        metavar="YEAR",
        help="default: that of the transmittal sheet",
    )
    parser.add_argument(
        "--quarter", choices=("Q1", "Q2", "Q3"), help="with --year; default: annual"
    )


def _add_timeout(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--timeout", type=float, default=3600.0, metavar="SECONDS", help="of one step"
    )


def _period(text: str) -> Period:
    """Return the period of an argument. Raises: ArgumentTypeError."""
    try:
        return Period.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def read_period(options: Namespace) -> Period | None:
    """Return the period in the options, if they name one."""
    return Period.of(options.year, options.quarter or "") if options.year else None


def describe_error(error: Exception) -> str:
    """Return why a command failed; of a file that cannot be used, its name and the reason."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def report_failure(options: Namespace, ending: Ending, reason: str) -> Ending:
    """Say why a command failed, and return its exit code."""
    if options.json:
        print_json({"ending": ending.word, "error": reason})
    print(f"hmda: {reason}", file=sys.stderr)
    return ending


def print_json(content: Any) -> None:
    """Print a JSON document for a program and a person."""
    print(json.dumps(content, indent=2, ensure_ascii=False))

"""The commands that need no server, `hmda check` and `hmda convert`, without an HTTP client."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from filing.client.command import describe_error, read_period, report_failure
from filing.client.outcome import Ending
from filing.client.transmittal import NoSheet
from filing.lar.years import RULEBOOKS

INSTALL_ENGINE = "uv tool install '.[check]'"


class _MissingLibrary(Exception):
    """The engine is not installed; the message says how to install it."""


def run_local_command(options: Namespace) -> int:
    """Run the command of the options."""
    try:
        return LOCAL_COMMANDS[options.command](options)
    except (_MissingLibrary, NoSheet, OSError, ValueError) as error:
        return report_failure(options, Ending.UNREACHABLE, describe_error(error))


def _check(options: Namespace) -> int:
    checking = _engine(options, "checking")
    report = checking.write_check_report
    if options.rules:
        comparison = _engine(options, "rules_comparison")
        report = partial(comparison.report_difference, rules_year=options.rules)
    form = "json" if options.json else "csv" if options.csv else "text"
    codes = [0]
    for path in options.paths:
        try:
            with checking.open_lar_file(path, read_period(options)) as lar:
                census = _facts(options, lar.period.year) if lar.period else None
                write = sys.stdout.write
                codes.append(report(lar, census=census, form=form, write=write))
        except (checking.NotChecked, NoSheet, OSError, ValueError) as error:
            reason = describe_error(error)
            named = reason if reason.startswith(str(path)) else f"{path}: {reason}"
            print(f"hmda: {named}", file=sys.stderr)
            codes.append(Ending.UNREACHABLE)
    return max(codes)


def _convert(options: Namespace) -> int:
    converting = _engine(options, "converting")
    write = sys.stdout.write
    return int(converting.convert_file(options, say_rules=_say_rules, write=write))


def _facts(options: Namespace, year: int) -> Any:
    """Return the census facts of a year, and say if its rules are not those of this client."""
    _say_rules(year)
    return _census(options, year)


def _say_rules(year: int) -> None:
    if year > RULEBOOKS[-1]:
        print(
            f"hmda: This client has no rules of {year}: it uses the rules of {RULEBOOKS[-1]}, the "
            f"newest it has. Install a newer one for those of {year}.",
            file=sys.stderr,
        )


def _engine(options: Namespace, name: str) -> Any:
    """Return a module of the client that needs the engine. Raises: _MissingLibrary."""
    try:
        return import_module(f"filing.client.{name}")
    except ModuleNotFoundError as error:
        raise _MissingLibrary(
            f"hmda {options.command} needs {error.name}, which is not installed. In the clone, "
            f"run: {INSTALL_ENGINE}"
        ) from None


def _census(options: Namespace, year: int) -> Any:
    """Return the census facts of a year, if the options name its file.

    Raises: OSError, ValueError.
    """
    from filing.reference import census

    if not options.census:
        return None
    return census.build_census(census.read_census(options.census.read_bytes(), year=year))


LOCAL_COMMANDS: dict[str, Callable[[Namespace], int]] = {"check": _check, "convert": _convert}

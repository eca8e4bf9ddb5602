"""`manage.py prepare_year YEAR`: prepares a filing year as a copy of the year before."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from filing.access import Caller
from filing.lar.years import YearStage
from filing.management.loading import raise_command_errors
from filing.models import FilingYear
from filing.seasons import years

_FLAGS = ("signing_waits_for_census", "signing_waits_for_panel")
_YES_OR_NO = {"yes": True, "true": True, "no": False, "false": False}


class Command(BaseCommand):
    help = (
        "Prepare a filing year as a copy of the year before: its rules, the reference data that "
        "stand in, and its thresholds. Give a stage to open it further. A year that is prepared "
        "already keeps its settings, except for those given with --set."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=int, metavar="YEAR", help="data year")
        stages = [stage.label for stage in YearStage]
        parser.add_argument(
            "--stage", choices=stages, default=stages[0], help="how far; default: %(default)s"
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a setting that differs from the year before, such as asset_threshold=60000000; "
            f"blank for none. Names: {', '.join(years.SETTINGS)}",
        )
        parser.add_argument("--reason", default="Prepared on the command line.")
        parser.add_argument("--by", default="command line", help="who does it, for the audit log")
        parser.add_argument("--dry-run", action="store_true", help="only show what would be done")

    def handle(self, *, year: int, stage: str, reason: str, by: str, **options: Any) -> None:
        caller, changes = Caller(id="", username=by), _settings(options["set"])
        wanted = next(each for each in YearStage if each.label == stage)
        with raise_command_errors():
            filing_year = FilingYear.objects.filter(pk=year).first()
            if options["dry_run"]:
                self._show_plan(filing_year or years.draft_year(year), wanted, changes)
                return
            if filing_year is None:
                filing_year = years.prepare_year(year, by=caller, reason=reason, changes=changes)
                self.stdout.write(f"{year} is prepared.")
            elif changes:
                for name, value in changes.items():
                    setattr(filing_year, name, value)
                years.change_settings(filing_year, list(changes), by=caller, reason=reason)
                self.stdout.write(f"{year} is changed.")
            else:
                self.stdout.write(f"{year} was prepared before.")
            for each in _stages_to(filing_year, wanted):
                self.stdout.write(years.move_stage(filing_year, each, by=caller, reason=reason))
                filing_year.refresh_from_db()
            self._describe(filing_year)

    def _show_plan(self, planned: FilingYear, wanted: YearStage, changes: dict[str, Any]) -> None:
        self.stdout.write("Dry run, nothing was changed. It would be:")
        for name, value in changes.items():
            setattr(planned, name, value)
        years.require_stand_ins(planned)
        for each in _stages_to(planned, wanted):
            self.stdout.write(years.plan_stage(planned, each))
            planned.stage = each
        self._describe(planned)

    def _describe(self, filing_year: FilingYear) -> None:
        """Write the stage, the settings beside those of the year before, and the deadlines."""
        self.stdout.write(f"stage: {YearStage(filing_year.stage).label}")
        for setting in years.compare_settings(filing_year):
            self.stdout.write(str(setting))
        for line in years.describe_deadlines(filing_year.year):
            self.stdout.write(f"deadline of {line}")


def _stages_to(filing_year: FilingYear, wanted: YearStage) -> list[YearStage]:
    """Return the stages that a year still has to go through to reach one."""
    return [stage for stage in YearStage if filing_year.stage < stage <= wanted]


def _settings(given: list[str]) -> dict[str, Any]:
    """Return the settings that were given as `NAME=VALUE`.

    Raises: CommandError.
    """
    settings = {}
    for each in given:
        name, sign, text = each.partition("=")
        if not sign:
            raise CommandError(f"{each} has no value: enter NAME=VALUE.")
        if name not in years.SETTINGS:
            raise CommandError(f"{name} is no setting of a year: {', '.join(years.SETTINGS)}.")
        field: Any = FilingYear._meta.get_field(name)
        try:
            value: Any = _YES_OR_NO.get(text.lower(), text) if name in _FLAGS else text
            settings[name] = field.clean(None if value == "" else value, None)
        except ValidationError as error:
            raise CommandError(f"{name}: {' '.join(error.messages)}") from error
    return settings

"""`manage.py make_submissions`: fills a site with a made-up season, for testing and measuring."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from filing.demo import submissions as demo
from filing.errors import Refusal
from filing.lar.years import YearStage, supported_years, year_filed_on


class Command(BaseCommand):
    help = (
        "Create made-up institutions, filings, and submissions in every status with all their "
        f"data except files. Their LEIs begin with {demo.LEI_START}. For testing and measuring."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--institutions", type=int, default=100, help="default: %(default)s")
        parser.add_argument("--submissions", type=int, default=1_000, help="default: %(default)s")
        years = supported_years(YearStage.FILING)
        parser.add_argument(
            "--year", type=int, choices=years, metavar="YEAR", help="default: last year"
        )
        parser.add_argument("--seed", type=int, default=0, help="another seed gives another season")
        parser.add_argument(
            "--force", action="store_true", help="create them even if there are real institutions"
        )

    def handle(
        self,
        *,
        institutions: int,
        submissions: int,
        year: int | None,
        seed: int,
        force: bool,
        **_: Any,
    ) -> None:
        if institutions < 1 or submissions < 0:
            raise CommandError("Give at least 1 institution and 0 or more submissions.")
        if not force and not demo.is_only_demo():
            raise CommandError(
                "There are institutions that are not made up. Made-up and real filings could not "
                "be separated again. Use another database, or --force."
            )
        year = year or year_filed_on(timezone.localdate())
        began = time.perf_counter()
        try:
            made = demo.make_submissions(
                year, institutions=institutions, submissions=submissions, seed=seed
            )
        except Refusal as error:
            raise CommandError(error.message) from error
        for name, count in made.items():
            self.stdout.write(f"{count:>10,} {name}")
        self.stdout.write(f"Created for {year} in {time.perf_counter() - began:.1f} s.")

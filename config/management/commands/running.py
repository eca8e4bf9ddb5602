"""Prints the address of the running service and an institution to try it with, for a shell."""

from __future__ import annotations

import shlex
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from config import demo
from config.management.commands.prepare import data_year
from config.running import data_folder
from config.running.supervisor import is_answering


class Command(BaseCommand):
    help = (
        "Print the address of the service that `make run` started here, and a made-up institution "
        "and a year to file for, as shell variables URL, LEI and YEAR. "
        'eval "$(.venv/bin/python manage.py running)" sets them.'
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        service = data_folder.find_service(settings.DATA_DIR)
        if service is None:
            raise CommandError(
                f"No service is running on {settings.DATA_DIR}. Start one with `make run`, or set "
                "DATA_DIR to the data folder of a running service."
            )
        url = service.local_url or f"http://127.0.0.1:{service.port}"
        if not is_answering(url, settings.DATA_DIR):
            raise CommandError(
                f"{str(service).capitalize()} does not answer at {url} yet. Repeat this when "
                f"`make run` says that it is running; {settings.DATA_DIR / 'log'} has its logs."
            )
        self.stdout.write(f"URL={shlex.quote(service.public_url)}")
        self.stdout.write(f"YEAR={data_year()}")
        try:
            institution = demo.demo_institution(data_year())
        except DatabaseError as error:
            raise CommandError(f"The panel cannot be read yet: {error}") from error
        if institution is None:
            raise CommandError(
                f"The panel of {data_year()} has no made-up institution. "
                f"Set LEI to one listed at {settings.PUBLIC_URL}/admin/filing/institution/"
            )
        self.stdout.write(f"LEI={institution.lei}")

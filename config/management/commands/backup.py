"""Makes a backup of database, files and keys, while the service runs."""

from __future__ import annotations

from argparse import SUPPRESS
from typing import Any

from django.conf import settings
from django.core.files.storage import Storage
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import environment
from config.backups import making, manifests
from config.backups.manifests import Manifest
from config.backups.targets import Damaged, target_name
from config.management.backup_targets import failures, open_target

_GUIDE = "docs/operators/backups.md"


class Command(BaseCommand):
    help = (
        "Back up the database, the stored files and the keys of DATA_DIR to a folder or bucket, "
        "while the service runs. Exits with 1 if anything is missing or differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", default=settings.BACKUP_URL, help="default: BACKUP_URL")
        parser.add_argument("--list", action="store_true", help="list the backups, and make none")
        parser.add_argument("--keep", help=SUPPRESS)
        parser.add_argument(
            "--again",
            action="store_true",
            help="store every file once more, also those that an earlier backup has",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None:
            raise CommandError(
                "There is no --keep any more. Let the target delete what is older than twice "
                f"BACKUP_DAYS, by a rule of the bucket or by find: {_GUIDE} has the commands."
            )
        with failures():
            target = open_target(options["to"])
            if options["list"]:
                self._list(target)
                return
            if environment.text("BACKUP_KEY"):
                raise CommandError(
                    "BACKUP_KEY encrypts nothing any more. Encrypt the target with restic, age or "
                    f"the rules of the bucket ({_GUIDE}), then remove BACKUP_KEY."
                )
            self._make(target, again=options["again"])

    def _list(self, target: Storage) -> None:
        backups = manifests.list_backup_ids(target)
        for backup in backups:
            try:
                self.stdout.write(_line(manifests.read_manifest(target, backup)))
            except Damaged as error:
                self.stdout.write(f"{backup}  {error}")
        if not backups:
            self.stdout.write(f"No backups in {target_name(target)}.")

    def _make(self, target: Storage, *, again: bool) -> None:
        manifest = making.make_backup(target, again=again, report=self.stderr.write)
        self.stdout.write(_line(manifest))
        self.stdout.write(
            f"{manifest.sent_bytes:,} bytes were written to {target_name(target)}; the others were "
            "there already."
        )
        if not manifest.is_complete:
            raise CommandError(
                f"Backup {manifest.id} is incomplete. Problems: {len(manifest.problems)}, listed "
                "above and in its manifest."
            )


def _line(manifest: Manifest) -> str:
    state = "complete" if manifest.is_complete else f"INCOMPLETE ({len(manifest.problems)})"
    return (
        f"{manifest.id}  {state}  version {manifest.product_version}  {manifest.database_kind} "
        f"{manifest.database.size:,} bytes  {manifest.file_count:,} files "
        f"{manifest.file_bytes:,} bytes  signed with {manifest.kid}"
    )

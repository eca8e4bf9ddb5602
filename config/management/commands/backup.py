"""Makes a backup of database, files and keys, while the service runs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups import making, manifests, pruning
from config.backups.archives import Archive
from config.backups.manifests import Manifest
from config.management.backup_archives import archive_of, failures


class Command(BaseCommand):
    help = (
        "Back up the database, the stored files and the keys of DATA_DIR to a folder or bucket, "
        "while the service runs. Exits with 1 if anything is missing or differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", default=settings.BACKUP_URL, help="default: BACKUP_URL")
        parser.add_argument("--list", action="store_true", help="list the backups, and make none")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="then remove all but the N newest complete ones"
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help="store every file once more, also those that an earlier backup has",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be 1 or more.")
        with failures():
            archive = archive_of(options["to"])
            if options["list"]:
                self._list(archive)
            else:
                self._make(archive, again=options["again"], keep=options["keep"])

    def _list(self, archive: Archive) -> None:
        listed = {manifest.id: manifest for manifest in manifests.finished(archive, check=False)}
        for backup in manifests.ids(archive):
            manifest = listed.get(backup)
            self.stdout.write(_line(manifest) if manifest else f"{backup}  unfinished")
        if not listed:
            self.stdout.write(f"No backups in {archive.target}.")

    def _make(self, archive: Archive, *, again: bool, keep: int | None) -> None:
        manifest = making.make(archive, again=again, report=self.stderr.write)
        self.stdout.write(_line(manifest))
        self.stdout.write(
            f"{manifest.sent_bytes:,} bytes were written to {archive.target}; the others were "
            "there already."
        )
        if not manifest.is_complete:
            raise CommandError(
                f"Backup {manifest.id} is incomplete. Problems: {len(manifest.problems)}, listed "
                "above and in its manifest. Older backups were not removed."
            )
        if keep is not None:
            backups, files = pruning.prune(archive, keep=keep)
            self.stdout.write(f"Removed {len(backups)} old backups and {files:,} files.")


def _line(manifest: Manifest) -> str:
    state = "complete" if manifest.is_complete else f"INCOMPLETE ({len(manifest.problems)})"
    sealed = f"key {manifest.key}" if manifest.key else "not encrypted"
    return (
        f"{manifest.id}  {state}  version {manifest.product_version}  {manifest.database_kind} "
        f"{manifest.database.size:,} bytes  {manifest.file_count:,} files "
        f"{manifest.file_bytes:,} bytes  {sealed}"
    )

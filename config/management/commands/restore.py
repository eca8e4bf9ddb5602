"""Restores a backup, or checks one without writing anything."""

from __future__ import annotations

from argparse import SUPPRESS
from typing import Any

from django.conf import settings
from django.core.files.storage import Storage
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups import manifests, restoring
from config.backups.restoring import RestoreSummary
from config.backups.targets import target_name
from config.management.backup_targets import failures, open_target


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database. Stop all parts of the service before. With "
        "--check, read the whole backup and restore nothing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "backup", nargs="?", default="", help="its id; default: the newest complete one"
        )
        parser.add_argument(
            "--from", dest="source", default=settings.BACKUP_URL, help="default: BACKUP_URL"
        )
        parser.add_argument("--check", action="store_true", help="check it, and restore nothing")
        parser.add_argument(
            "--trust",
            default="",
            metavar="KEY_ID",
            help="the key that signed the backup, if this machine does not know it; its ID can "
            "begin with a hyphen, so write --trust=KEY_ID",
        )
        parser.add_argument("--replace", action="store_true", help=SUPPRESS)
        parser.add_argument(
            "--incomplete", action="store_true", help="also a backup with missing files"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["replace"]:
            raise CommandError(
                "There is no --replace any more. Rename the database or move its file away, create "
                "an empty one, and restore without it. Files that are stored already stay."
            )
        with failures():
            target = open_target(options["source"])
            backup = options["backup"] or _newest(target)
            if options["check"]:
                self._check(target, backup, trusted=options["trust"])
                return
            summary = restoring.restore_backup(
                target,
                backup,
                trusted=options["trust"],
                incomplete=options["incomplete"],
                report=self.stderr.write,
            )
        self._print(summary)
        if summary.problems:
            raise CommandError(
                f"{len(summary.problems)} of {summary.signatures} signatures are without their "
                f"file: {'; '.join(summary.problems[:10])}"
            )

    def _check(self, target: Storage, backup: str, *, trusted: str) -> None:
        manifest, problems = restoring.check_backup(
            target, backup, trusted=trusted, report=self.stderr.write
        )
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"Backup {backup} has problems: {len(problems)}, listed above.")
        self.stdout.write(
            f"Backup {backup} is complete: the database and {manifest.file_count:,} files have "
            "the sizes and hashes of its manifest."
        )

    def _print(self, summary: RestoreSummary) -> None:
        manifest = summary.manifest
        lines = [
            f"Backup {manifest.id} was restored, as of {manifest.began_at}.",
            f"Files: {summary.files:,} restored, {summary.skipped:,} were there already.",
            "Rows: " + ", ".join(f"{count:,} {name}" for name, count in summary.rows.items()) + ".",
            f"Published: {', '.join(summary.published) or 'nothing'}.",
            f"Migrations applied: {summary.migrated}.",
            f"Signatures: {summary.signatures:,}, {len(summary.problems):,} without their file.",
            *(f"Kept aside: {place}" for place in summary.kept),
        ]
        self.stdout.write("\n".join(lines))


def _newest(target: Storage) -> str:
    for manifest in manifests.read_finished_manifests(target):
        if manifest.is_complete:
            return manifest.id
    for backup in manifests.list_backup_ids(target)[-1:]:
        manifests.read_manifest(target, backup)  # says why it cannot be read, if it cannot
    raise CommandError(f"There is no complete backup in {target_name(target)}.")

"""Restores a backup, or checks one without writing anything."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backups import manifests, restoring
from config.backups.archives import Archive
from config.backups.restoring import Summary
from config.management.backup_archives import archive_of, failures


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database and storage, or with --replace over others. Stop "
        "all parts of the service before. With --check, read the whole backup and write nothing."
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
            "--replace", action="store_true", help="also over a database or storage with data"
        )
        parser.add_argument(
            "--incomplete", action="store_true", help="also a backup with missing files"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with failures():
            archive = archive_of(options["source"])
            backup = options["backup"] or _newest(archive)
            if options["check"]:
                self._check(archive, backup)
                return
            summary = restoring.restore(
                archive,
                backup,
                replace=options["replace"],
                incomplete=options["incomplete"],
                report=self.stderr.write,
            )
        self._print(summary)
        if summary.problems:
            raise CommandError(
                f"{len(summary.problems)} of {summary.signatures} signatures are without their "
                f"file: {'; '.join(summary.problems[:10])}"
            )

    def _check(self, archive: Archive, backup: str) -> None:
        manifest, problems = restoring.check(archive, backup, report=self.stderr.write)
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"Backup {backup} has problems: {len(problems)}, listed above.")
        self.stdout.write(
            f"Backup {backup} is complete: the database and {manifest.file_count:,} files have "
            "the sizes and hashes of its manifest."
        )

    def _print(self, summary: Summary) -> None:
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


def _newest(archive: Archive) -> str:
    complete = [m.id for m in manifests.finished(archive, check=False) if m.is_complete]
    if not complete:
        raise CommandError(f"There is no complete backup in {archive.target}.")
    return complete[-1]

"""Writes the documents generated from the code's tables, or lists those that are out of date."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.validation import validate_schema

from config.metrics import catalogue as metrics
from config.settings import BASE_DIR
from databrowser.publication.records import dictionary
from filing.edits import catalogue
from filing.figures import Figure, list_figures
from filing.lar.fields import LAR, NUMBER_LIMITS, TRANSMITTAL_SHEET, Field
from filing.lar.regulation import RECORD_PARAGRAPHS, SHEET_PARAGRAPHS
from filing.statuses import MOVES, Status

FOLDER = BASE_DIR / "docs" / "generated"
NOTE = "<!-- Written by `make docs`; change the code's tables instead. -->\n\n"


class Command(BaseCommand):
    help = "Write docs/generated, or with --check only report whether they are up to date."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        documents = {
            "edits.md": NOTE + catalogue.write_edits_reference(),
            "fields.md": NOTE + fields(),
            "figures.md": NOTE + figures(),
            "metrics.md": NOTE + metrics.metrics_as_markdown(),
            "public-loans.md": NOTE + dictionary.dictionary_as_markdown(),
            "statuses.md": NOTE + statuses(),
        }
        document = openapi()  # an invalid one ends the command
        stale = [name for name, text in documents.items() if text != _present(FOLDER / name)]
        if options["check"]:
            if stale:
                raise CommandError(f"Out of date: {', '.join(stale)}. Run make docs.")
            return
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in stale:
            (FOLDER / name).write_text(documents[name])
        (FOLDER / "openapi.json").write_text(document)  # served, and not kept in git
        self.stdout.write(f"{len(documents)} documents, {len(stale)} changed.")


def _present(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def fields() -> str:
    """Return the fields of the transmittal sheet and of the LAR as tables."""
    return (
        "# Fields\n\nThe columns of a file, in file order.\n\n"
        f"## Limits of numbers\n\nA number beyond its limit is a formatting error.\n\n{_limits()}\n"
        f"## Transmittal sheet\n\n{_table(TRANSMITTAL_SHEET)}\n"
        f"## Loan/Application Register\n\n{_table(LAR)}"
    )


def figures() -> str:
    """Return the figures for operators, by group, with their columns and definitions."""
    groups = groupby(list_figures(), lambda figure: figure.group)
    return (
        "# Figures\n\nThe catalogue that [Figures](../operators/figures.md) explains.\n"
        + "".join(
            f"\n## {group}\n\n{_FIGURES_HEAD}" + "".join(map(_figure, listed))
            for group, listed in groups
        )
    )


_FIGURES_HEAD = "| Figure | Columns | What is counted | Parameters |\n|---|---|---|---|\n"


def _figure(figure: Figure) -> str:
    columns = ", ".join(f"`{name}`" for name in figure.columns)
    parameters = "; ".join(f"`{each.name}`: {each.accepts}" for each in figure.parameters)
    definition = figure.definition.replace("{period}", "the period").replace(", {deadline}", "")
    definition = definition.replace("{", "`").replace("}", "`")
    return f"| {figure.title}: `{figure.name}` | {columns} | {definition} | {parameters} |\n"


def _table(records: tuple[Field, ...]) -> str:
    head = "| # | Name | Label | Accepts | JSON | 12 CFR |\n|---|---|---|---|---|---|\n"
    paragraphs = RECORD_PARAGRAPHS if records is LAR else SHEET_PARAGRAPHS
    return head + "".join(
        f"| {field.number} | `{field.name}` | {field.label} | {field.accepts} | `{field.json}` "
        f"| {paragraphs.get(field.name, '')} |\n"
        for field in records
    )


def _limits() -> str:
    rows = "".join(f"| {accepts} | {limit} |\n" for accepts, limit in NUMBER_LIMITS.items())
    return f"| Accepts | Limit |\n|---|---|\n{rows}"


def statuses() -> str:
    """Return the statuses and the moves between them as tables."""
    states = "".join(
        f"| {status.value} | {status.message} | {status.description(signing=True)} "
        f"| {'yes' if status.is_settled else 'no'} |\n"
        for status in sorted(Status, key=lambda status: (status < 0, status))
    )
    moves = "".join(
        f"| {before.value} | {event.name} | {after.value} |\n"
        for (before, event), after in MOVES.items()
    )
    return (
        "# Statuses of a submission\n\n"
        "| Code | Message | Meaning | Waits for a person |\n|---|---|---|---|\n"
        f"{states}\n## Moves\n\n| From | Event | To |\n|---|---|---|\n{moves}"
    )


def openapi() -> str:
    """Return the OpenAPI document, checked against the standard's own schema."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    validate_schema(schema)
    return OpenApiJsonRenderer().render(schema).decode() + "\n"

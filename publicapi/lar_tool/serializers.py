"""The JSON shapes of the LAR formatting tool: fields, columns, and the report of a conversion."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from publicapi.serializers import OPEN_YEAR, EditsNotRun, RulebookInUse

FINDING_KINDS = ("reading", "format", "syntactical", "validity", "quality")
MATCH_KINDS = ("given", "name", "near", "place", "none")
FILE_KINDS = ("csv", "pipe", "xlsx", "xls", "xlsb", "ods")


class _Shape(serializers.Serializer[Any]):
    """A shape with names that the framework also uses. others: these, each with its field."""

    others: dict[str, serializers.Field[Any, Any, Any, Any]] = {}

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), **deepcopy(self.others)}


@extend_schema_field({"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": True})
class Exemption(serializers.JSONField):
    """How an exemption is written: the text `Exempt`, or a code."""


class FieldCode(_Shape):
    """A code of a field."""

    code = serializers.IntegerField()
    text = serializers.CharField()


class RecordField(_Shape):
    """A field of a record, as the edits of the year know it."""

    number = serializers.IntegerField(help_text="Its place in the line; the first is 1.")
    name = serializers.CharField(help_text="The name in `map`, `sheet` and findings.")
    reference = serializers.CharField(help_text="The name in the bureau's online tool.")
    json = serializers.CharField(help_text="The path in the JSON of a parsed record.")
    accepts = serializers.CharField()
    codes = FieldCode(many=True, help_text="The codes of the year; empty for other fields.")
    na = serializers.BooleanField(help_text="Whether it takes `NA`.")
    exempt = Exemption(allow_null=True, help_text="An exemption as written; null if there is none.")
    blank = serializers.BooleanField(help_text="Whether it may be blank.")
    aliases = serializers.ListField(
        child=serializers.CharField(), help_text="Other headers that are matched."
    )
    others = {"label": serializers.CharField(help_text="The name in edits and findings.")}


class RecordFields(_Shape):
    """The fields of a record in a year, in file order."""

    year = serializers.IntegerField()
    rulebook = RulebookInUse(required=False, help_text=OPEN_YEAR)
    others = {"fields": RecordField(many=True)}


class MatchedColumn(_Shape):
    """A column of a spreadsheet, and the field it is for."""

    column = serializers.CharField(help_text="Its letter.")
    header = serializers.CharField()
    field = serializers.CharField(allow_null=True)
    number = serializers.IntegerField(allow_null=True, help_text="The place of the field.")
    matched = serializers.ChoiceField(
        MATCH_KINDS,
        help_text="`given` by `map`; by its `name`; `near` a name, used with `options.near` only; "
        "by its `place` in the bureau's workbook.",
    )
    reason = serializers.CharField(
        allow_null=True,
        help_text="Why it is near; why values of a field that is known are not used.",
    )
    examples = serializers.ListField(
        child=serializers.CharField(), max_length=3, help_text="Its first values, cut off at 40."
    )


class ColumnConflict(_Shape):
    """Columns that are for the same field: convert needs `map` to say which."""

    columns = serializers.ListField(child=serializers.CharField(), help_text="Their letters.")
    field = serializers.CharField()
    message = serializers.CharField()
    others = {"label": serializers.CharField()}


_SHEET = "Its sheet, where several are read; else left out."


class LeftOutRow(_Shape):
    """A row that is left out: a total, a note, the headers again, or hidden."""

    row = serializers.IntegerField(help_text="In the spreadsheet.")
    sheet = serializers.CharField(required=False, help_text=_SHEET)
    why = serializers.CharField()


class LeftOutRows(_Shape):
    """The rows that are left out."""

    leftOut = LeftOutRow(many=True, help_text="The first 100.")
    leftOutTotal = serializers.IntegerField()
    notices = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Sentences about hidden rows, hidden columns, and other sheets with loans; left "
        "out if there are none.",
    )


class QuestionChoice(_Shape):
    """An answer that may be given."""

    value = serializers.CharField()
    text = serializers.CharField()


class ColumnQuestion(_Shape):
    """What is asked once about a column whose cells can be read in several ways.

    With loans on several sheets, what is asked about the workbook: its kind is `sheet`.
    """

    column = serializers.CharField(
        allow_null=True, help_text="Its letter; null for a question about sheets."
    )
    header = serializers.CharField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(
        ("dates", "percent", "sheet"), help_text="The option for the answer."
    )
    question = serializers.CharField()
    count = serializers.IntegerField(help_text="How many cells show it.")
    cells = serializers.CharField(help_text="Such as `L2:L13, L20`; the names of sheets.")
    examples = serializers.ListField(child=serializers.CharField())
    choices = QuestionChoice(many=True)
    answer = serializers.CharField(allow_null=True, help_text="As given in `options`.")
    how = serializers.CharField(help_text="How to answer.")
    others = {
        "default": serializers.CharField(
            allow_null=True,
            help_text="What holds without an answer; null if the column is not read without one.",
        )
    }


class ColumnMatching(LeftOutRows):
    """What a file is, and which column is for which field."""

    kind = serializers.ChoiceField(FILE_KINDS)
    encoding = serializers.CharField(allow_null=True, help_text="Null for a workbook.")
    sheets = serializers.ListField(child=serializers.CharField())
    sheet = serializers.CharField(allow_null=True, help_text="The sheet with the loans.")
    header = serializers.IntegerField(allow_null=True, help_text="The row of the headers.")
    rows = serializers.IntegerField()
    columns = MatchedColumn(many=True)
    unused = serializers.ListField(child=serializers.CharField())
    missing = serializers.ListField(child=serializers.CharField(), help_text="Names of fields.")
    conflicts = ColumnConflict(many=True)
    questions = ColumnQuestion(many=True)


class ConvertedFile(LeftOutRows):
    """The spreadsheet that was read, and the file that was made of it."""

    kind = serializers.ChoiceField(FILE_KINDS)
    encoding = serializers.CharField(allow_null=True)
    sheet = serializers.CharField(allow_null=True)
    header = serializers.IntegerField(allow_null=True)
    rows = serializers.IntegerField()
    lines = serializers.IntegerField(help_text="Of the LAR, with the transmittal sheet.")
    name = serializers.CharField(help_text="Of the LAR.")


class Change(_Shape):
    """A value that was made right."""

    row = serializers.IntegerField(allow_null=True)
    line = serializers.IntegerField(
        allow_null=True, help_text="Null for a field without a column: in all records."
    )
    column = serializers.CharField(allow_null=True)
    field = serializers.CharField()
    rule = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    sheet = serializers.CharField(required=False, help_text=_SHEET)


class Changes(_Shape):
    """The values that were made right: how many, and the first 1,000."""

    total = serializers.IntegerField()
    byRule = serializers.DictField(child=serializers.IntegerField())
    first = Change(many=True)


class CellFinding(_Shape):
    """A cell that cannot be read, has a formatting error, or triggers an edit."""

    row = serializers.IntegerField(allow_null=True, help_text="In the spreadsheet.")
    line = serializers.IntegerField(allow_null=True, help_text="In the LAR.")
    column = serializers.CharField(
        allow_null=True, help_text="Its letter; null for a field that is not in the spreadsheet."
    )
    header = serializers.CharField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(FINDING_KINDS)
    code = serializers.CharField(
        allow_null=True, help_text="The edit; for a cell that cannot be read, the rule."
    )
    value = serializers.CharField(allow_null=True, help_text="As typed, cut off at 200.")
    message = serializers.CharField()
    uli = serializers.CharField(allow_null=True)
    also = serializers.ListField(
        child=serializers.CharField(), help_text="Other columns that the edit reads."
    )
    sheet = serializers.CharField(required=False, help_text=_SHEET)
    others = {"label": serializers.CharField(allow_null=True)}


class FindingCounts(_Shape):
    """How many findings there are of each kind."""

    reading = serializers.IntegerField()
    format = serializers.IntegerField()
    syntactical = serializers.IntegerField()
    validity = serializers.IntegerField()
    quality = serializers.IntegerField()


class FindingGroup(_Shape):
    """The findings that say the same of one field."""

    column = serializers.CharField(allow_null=True)
    header = serializers.CharField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(FINDING_KINDS)
    code = serializers.CharField(allow_null=True)
    count = serializers.IntegerField(
        help_text="How many cells or records; those of a question are one finding."
    )
    cells = serializers.CharField(
        allow_null=True, help_text="Such as `C2:C13, C20 and 4 more`; rows if there is no column."
    )
    message = serializers.CharField()
    others = {"label": serializers.CharField(allow_null=True)}


class CellFindings(_Shape):
    """The findings: how many, in groups, and the first 1,000, by line, column, kind and code."""

    total = serializers.IntegerField()
    byKind = FindingCounts()
    groups = FindingGroup(many=True, help_text="By kind, code and field; the first 500.")
    first = CellFinding(many=True)


class ConversionReport(_Shape):
    """What became of a spreadsheet."""

    year = serializers.IntegerField()
    quarter = serializers.CharField(allow_null=True)
    rulebook = RulebookInUse(required=False, help_text=OPEN_YEAR)
    file = ConvertedFile()
    columns = MatchedColumn(many=True)
    questions = ColumnQuestion(many=True)
    changes = Changes()
    findings = CellFindings()
    notRun = serializers.ListField(
        child=serializers.CharField(), help_text="Edits that need what is not available."
    )
    notRunReasons = EditsNotRun(many=True)
    canWrite = serializers.BooleanField(
        help_text="Whether `format=txt` answers the file; `options.asTyped` writes it anyway."
    )
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="Why it does not; empty if it does."
    )

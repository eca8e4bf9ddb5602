"""The rules that a year runs: another released rulebook, and edits withdrawn and put back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db import IntegrityError, transaction
from django.utils import timezone

from filing import day_hours
from filing.access import Caller
from filing.audit.value_changes import describe_change
from filing.edits import catalogue
from filing.edits.edit import Edit
from filing.errors import AlreadyExists, BadInput, NotReady
from filing.lar.years import FIRST_QUARTERLY_YEAR, RULEBOOKS, Period
from filing.models import AuditEvent, FilingYear, WithdrawnEdit
from filing.previews import require_previewed
from filing.seasons.years import lock_year, record_change, require_reason, unsigned_files

LONGEST_REASON = 150  # of a withdrawal: filers read it beside each result


@dataclass(frozen=True, slots=True)
class RulebookEditChange:
    """An edit that differs between two rulebooks: what it checks in each, blank where it is not."""

    code: str
    before: str
    after: str

    @property
    def verb(self) -> str:
        if not self.before:
            return "added"
        return "changed" if self.after else "removed"


@dataclass(frozen=True, slots=True)
class RulebookChanges:
    """The edits that come, go and change when a year runs another rulebook, by code."""

    edits: tuple[RulebookEditChange, ...]

    def codes(self, verb: str) -> list[str]:
        """Return the codes that are `added`, `removed` or `changed`."""
        return [edit.code for edit in self.edits if edit.verb == verb]

    def __str__(self) -> str:
        parts = ((verb, self.codes(verb)) for verb in ("added", "removed", "changed"))
        changes = [f"{verb}: {', '.join(codes)}" for verb, codes in parts if codes]
        return f"Edits {'; '.join(changes)}." if changes else "The edits are the same."


def compare_rulebooks(old: int, new: int) -> RulebookChanges:
    """Return the edits that differ between two rulebooks, in annual or quarterly filing."""
    quarters = _quarters(min(old, new))
    before, after = _by_code(old, quarters), _by_code(new, quarters)
    nothing = _Contents()
    return RulebookChanges(
        tuple(
            RulebookEditChange(
                code, *_in_words(before.get(code, nothing), after.get(code, nothing))
            )
            for code in sorted(before.keys() | after.keys())
            if before.get(code) != after.get(code)
        )
    )


def rulebooks_for(filing_year: FilingYear) -> list[int]:
    """Return the released rulebooks that a year can run, newest first."""
    return [each for each in reversed(RULEBOOKS) if each <= filing_year.year]


def plan_rulebook(filing_year: FilingYear, rulebook: int) -> str:
    """Return what switching a year to a rulebook would change.

    Raises: BadInput for a rulebook that is not released or of a later year; NotReady for the same.
    """
    if rulebook not in rulebooks_for(filing_year):
        choices = ", ".join(map(str, rulebooks_for(filing_year)))
        raise BadInput(f"{filing_year} cannot run the rules of {rulebook}; it can run {choices}.")
    if rulebook == filing_year.rulebook:
        raise NotReady(f"{filing_year} runs the rules of {rulebook} already.")
    again, codes = unsigned_files(filing_year), sorted(_standing(filing_year))
    missing = [code for code in codes if code not in _by_code(rulebook, _quarters(rulebook))]
    withdrawn = f" Stays withdrawn: {', '.join(codes)}." if codes else ""
    withdrawn += f" Not in these rules any more: {', '.join(missing)}." if missing else ""
    return (
        f"{filing_year} runs the rules of {rulebook} in place of those of {filing_year.rulebook}. "
        f"{compare_rulebooks(filing_year.rulebook, rulebook)} The edits are run again on {again:,} "
        f"unsigned submissions; what is signed keeps the rules that checked it.{withdrawn}"
    )


def switch_rulebook(
    filing_year: FilingYear, rulebook: int, *, by: Caller, reason: str, digest: str | None = None
) -> str:
    """Run another released rulebook for a year; return what was done.

    digest: of the plan that is confirmed, if it was shown.

    Raises: what `plan_rulebook` raises; BadInput without a reason; PreviewChanged.
    """
    require_reason(reason)
    with transaction.atomic():
        locked = lock_year(filing_year)
        require_previewed(digest, plan_rulebook(locked, rulebook))
        change = describe_change("Rulebook", locked.rulebook, rulebook)
        locked.rulebook = rulebook
        locked.save(update_fields=["rulebook"])
        record_change(AuditEvent.YEAR_CHANGED, locked, by, reason, change)
    return f"{locked} runs the rules of {rulebook}. Unsigned results are made again."


def edit_codes(filing_year: FilingYear) -> list[str]:
    """Return the codes of the edits that a year runs, withdrawn or not, ascending."""
    return sorted(_by_code(filing_year.rulebook, _quarters(filing_year.rulebook)))


def plan_withdrawal(filing_year: FilingYear, code: str, since: date) -> str:
    """Return what withdrawing an edit from a day on would do.

    Raises: BadInput for an edit that the year does not run; AlreadyExists.
    """
    if code not in edit_codes(filing_year):
        raise BadInput(f"{filing_year} runs no edit {code}. Enter its code, such as Q600.")
    if code in _standing(filing_year):
        raise AlreadyExists(f"{code} is withdrawn for {filing_year} already.")
    again = unsigned_files(filing_year)
    return (
        f"{code} is not run on files of {filing_year} from {day_hours.day_in_words(since)} on. The "
        f"edits are run again on {again:,} unsigned submissions; what is signed stays."
    )


def withdraw_edit(
    filing_year: FilingYear, code: str, *, since: date | None = None, by: Caller, reason: str
) -> WithdrawnEdit:
    """Withdraw an edit for a year from a day on, today by default; unsigned results follow.

    Raises: what `plan_withdrawal` raises; BadInput for a long reason or none.
    """
    require_reason(reason)
    if len(reason) > LONGEST_REASON:
        raise BadInput(
            f"The reason has {len(reason)} characters; enter at most {LONGEST_REASON}: filers read "
            "it beside each result."
        )
    since = since or day_hours.today()
    plan_withdrawal(filing_year, code, since)
    try:
        with transaction.atomic():
            lock_year(filing_year)
            withdrawn = WithdrawnEdit.objects.create(
                filing_year=filing_year, code=code, since=since, reason=reason, withdrawn_by=str(by)
            )
            change = f"{code} is not run since {since.isoformat()}"
            record_change(AuditEvent.EDIT_WITHDRAWN, filing_year, by, reason, change)
    except IntegrityError as error:
        raise AlreadyExists(f"{code} is withdrawn for {filing_year} already.") from error
    return withdrawn


def plan_put_back(withdrawn: WithdrawnEdit) -> str:
    """Return what putting an edit back would do.

    Raises: NotReady if it was put back already.
    """
    if withdrawn.put_back_at:
        raise NotReady(f"{withdrawn} was put back already.")
    again = unsigned_files(withdrawn.filing_year)
    return f"{withdrawn} is run again, also on {again:,} unsigned submissions."


def put_back_edit(withdrawn: WithdrawnEdit, *, by: Caller, reason: str) -> str:
    """Run a withdrawn edit again; return what was done.

    Raises: NotReady if it was put back already; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        lock_year(withdrawn.filing_year)
        locked = WithdrawnEdit.objects.select_for_update().get(pk=withdrawn.pk)
        plan_put_back(locked)
        locked.put_back_at = timezone.now()
        locked.save(update_fields=["put_back_at"])
        change = f"{locked.code} is run again"
        record_change(AuditEvent.EDIT_PUT_BACK, locked.filing_year, by, reason, change)
    return f"{locked} is run again. Unsigned results are made again."


@dataclass(frozen=True, slots=True)
class _Contents:
    """What the edits of a rulebook with one code check: their texts, and all else that counts."""

    texts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    facts: tuple[tuple[int | None, str, tuple[str, ...]], ...] = ()


def _standing(filing_year: FilingYear) -> set[str]:
    """Return the codes of the edits that are withdrawn for a year."""
    standing = WithdrawnEdit.objects.filter(filing_year=filing_year, put_back_at=None)
    return set(standing.values_list("code", flat=True))


def _quarters(rulebook: int) -> tuple[int | None, ...]:
    return (None, 1) if rulebook >= FIRST_QUARTERLY_YEAR else (None,)


def _by_code(rulebook: int, quarters: Iterable[int | None]) -> dict[str, _Contents]:
    """Return what the edits of a rulebook check, by code."""
    entries: dict[str, list[tuple[int | None, Edit]]] = defaultdict(list)
    for quarter in quarters:
        for edit in catalogue.list_edits(Period(rulebook, quarter)):
            entries[edit.code].append((quarter, edit))
    return {
        code: _Contents(
            texts=tuple(dict.fromkeys(edit.text for _, edit in each)),
            rules=tuple(dict.fromkeys(edit.rule for _, edit in each)),
            facts=tuple(
                (quarter, f"{edit.kind.value}, {edit.level.value}", edit.fields)
                for quarter, edit in each
            ),
        )
        for code, each in entries.items()
    }


def _in_words(before: _Contents, after: _Contents) -> tuple[str, str]:
    """Return what two versions of an edit check, in the first words in which they differ."""
    if before.texts != after.texts:
        return " ".join(before.texts), " ".join(after.texts)
    if before.rules != after.rules:
        return " ".join(before.rules), " ".join(after.rules)
    return _filings_and_fields(before), _filings_and_fields(after)


def _filings_and_fields(contents: _Contents) -> str:
    quarters = {quarter for quarter, _, _ in contents.facts}
    both = "annual and quarterly"
    filings = both if len(quarters) > 1 else "annual" if None in quarters else "quarterly"
    levels = "; ".join(sorted({level for _, level, _ in contents.facts}))
    fields = ", ".join(sorted({name for _, _, names in contents.facts for name in names}))
    return f"Run on {filings} files ({levels}; fields: {fields})."

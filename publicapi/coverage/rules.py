"""Which institutions report, which of their loans, how often and in full: Regulation C as a table.

Source: 12 CFR 1003.2(g), 1003.3(c)(11) and (12), 1003.3(d) and 1003.5(a)(1)(ii). The thresholds are
those of the filing year.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from filing.models import FilingYear

# Loans or lines in each of the two years before, below which an insured institution is partially
# exempt. Source: 12 CFR 1003.3(d)(2) and (3); a law of May 24, 2018 set them for all data years.
PARTIAL_EXEMPTION = 500


class InstitutionKind(StrEnum):
    """What an institution is, as far as the definition tells institutions apart."""

    BANK = "bank"
    CREDIT_UNION = "credit-union"
    LENDER = "lender"
    OTHER = "other"


class FederalTie(StrEnum):
    """Which condition of 12 CFR 1003.2(g)(1)(iv) a depository institution meets."""

    INSURED = "insured"
    OTHER = "other"
    NONE = "none"


class Verdict(StrEnum):
    """The answer to one question of coverage."""

    YES = "yes"
    NO = "no"
    DEPENDS = "depends"


class Topic(StrEnum):
    """Where the guides say more."""

    WHO_REPORTS = "who-reports"
    THRESHOLDS = "thresholds"
    QUARTERS = "quarters"
    PARTIAL_EXEMPTION = "partial-exemption"


@dataclass(frozen=True, slots=True)
class Answers:
    """What someone said about an institution; None: not said.

    Amounts and numbers are of the years before the data year: `assets` in dollars on its eve,
    `closed_end` and `open_end` of the year before and of the one before that, `records` reported
    for the year before, without purchased loans.
    """

    kind: InstitutionKind | None = None
    assets: int | None = None
    federal: FederalTie | None = None
    office: bool | None = None
    home_loan: bool | None = None
    closed_end: tuple[int | None, int | None] = (None, None)
    open_end: tuple[int | None, int | None] = (None, None)
    records: int | None = None
    low_cra: bool | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of the regulation, whether it is met, and why; None: not known.

    question: the name of the question that decides it.
    """

    question: str
    holds: bool | None
    text: str
    section: str
    topic: Topic


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answer for one duty, with the conditions that lead to it."""

    verdict: Verdict
    reasons: tuple[Condition, ...]

    @property
    def is_yes(self) -> bool:
        return self.verdict is Verdict.YES

    @property
    def is_no(self) -> bool:
        return self.verdict is Verdict.NO


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an institution owes for a data year.

    questions: the names of those whose answers make a difference, in order. unanswered: those of
    them without an answer.
    """

    closed_end: Conclusion
    open_end: Conclusion
    quarterly: Conclusion
    partial_closed_end: Conclusion
    partial_open_end: Conclusion
    questions: tuple[str, ...] = field(default=())
    unanswered: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class LoanKind:
    """One of the two kinds of loans that are counted; question: of how many were originated."""

    question: str
    plural: str
    letter: str
    excluded: str
    exempt: str


CLOSED_END = LoanKind(
    "closed_end", "closed-end mortgage loans", "(A)", "1003.3(c)(11)", "1003.3(d)(2)"
)
OPEN_END = LoanKind("open_end", "open-end lines of credit", "(B)", "1003.3(c)(12)", "1003.3(d)(3)")


@dataclass(frozen=True, slots=True)
class VacatedThreshold:
    """A threshold that a court took back for years that were filed already.

    Who originated at least `lower` in each of the two years before, but fewer than `upper` in one
    of them, was exempt when the data were due, or was not acted against.
    """

    years: range
    lower: int
    upper: int
    text: str
    section: str


# Source: 85 FR 28364 (100 from July 1, 2020); National Community Reinvestment Coalition v. CFPB,
# No. 20-cv-2074 (D.D.C. Sept. 23, 2022); 87 FR 77980 (25 again); the bureau's statement of
# December 6, 2022 on data of 2020, 2021 and 2022.
VACATED = VacatedThreshold(
    years=range(2020, 2023),
    lower=25,
    upper=100,
    text="You originated at least 25 closed-end mortgage loans in each of the two years before, "
    "but fewer than 100 in one of them. From July 1, 2020 such an institution did not report them. "
    "On September 23, 2022 a court vacated that rule, so that the threshold is 25 again. The "
    "bureau said on December 6, 2022 that it does not intend to act where such an institution did "
    "not report data of 2020, 2021 or 2022. Ask your regulator before you leave them out.",
    section="12 CFR 1003.2(g)(1)(v)(A); 85 FR 28364; 87 FR 77980",
)
_QUARTERS = "12 CFR 1003.5(a)(1)(ii)"


def judge_coverage(year: FilingYear, answers: Answers) -> Coverage:
    """Return what an institution owes for the data of a year."""
    conditions = tuple(_institution_conditions(year, answers))
    closed_loans = _closed_end_condition(year, answers)
    open_loans = _loans_condition(year, answers, OPEN_END, year.open_end_threshold)
    closed_end = _conclude((*conditions, closed_loans))
    open_end = _conclude((*conditions, open_loans))
    quarterly = _conclude_quarterly(year, answers, closed_end, open_end)
    partial_closed_end = _conclude_partial(year, answers, closed_end, CLOSED_END)
    partial_open_end = _conclude_partial(year, answers, open_end, OPEN_END)
    questions = tuple(
        _list_questions(
            conditions,
            loans=(closed_end, open_end),
            rest=(quarterly, partial_closed_end, partial_open_end),
        )
    )
    return Coverage(
        closed_end,
        open_end,
        quarterly,
        partial_closed_end,
        partial_open_end,
        questions,
        tuple(name for name in questions if not _is_answered(answers, name)),
    )


def _conclude(conditions: tuple[Condition, ...]) -> Conclusion:
    """Return what follows if all conditions must be met: those that are not met decide alone."""
    if failed := tuple(each for each in conditions if each.holds is False):
        return Conclusion(Verdict.NO, failed)
    met = all(each.holds for each in conditions)
    return Conclusion(Verdict.YES if met else Verdict.DEPENDS, conditions)


def _institution_conditions(year: FilingYear, answers: Answers) -> Iterator[Condition]:
    """Yield the conditions that do not count loans: those of the kind of institution."""
    kind = answers.kind
    who = Topic.WHO_REPORTS
    if kind is InstitutionKind.OTHER:
        yield Condition(
            "kind",
            False,
            "Only banks, savings associations, credit unions and for-profit mortgage lenders "
            "report.",
            "12 CFR 1003.2(g)",
            who,
        )
        return
    is_lender = kind is InstitutionKind.LENDER
    if kind is None:
        yield Condition("kind", None, "Which kind of institution it is.", "12 CFR 1003.2(g)", who)
    if not is_lender:
        yield _asset_condition(year, answers)
        yield Condition(
            "federal",
            None if answers.federal is None else answers.federal is not FederalTie.NONE,
            {
                FederalTie.INSURED: "You are federally insured.",
                FederalTie.OTHER: "You are federally regulated, or made a first-lien home loan "
                "that a federal agency insures, guarantees or supplements, or that was meant for "
                "sale to Fannie Mae or Freddie Mac.",
                FederalTie.NONE: "You are neither federally insured nor regulated, and made no "
                "first-lien home loan that a federal agency insures, guarantees or supplements, or "
                "that was meant for sale to Fannie Mae or Freddie Mac.",
                None: "Whether you are federally insured or regulated, or your home loans are "
                "federally related.",
            }[answers.federal],
            "12 CFR 1003.2(g)(1)(iv)",
            who,
        )
    yield _office_condition(year, answers, is_lender=is_lender)
    if not is_lender:
        yield Condition(
            "home_loan",
            answers.home_loan,
            {
                True: f"You originated a first-lien home purchase loan or refinancing on a "
                f"one-to-four-unit dwelling in {year.year - 1}.",
                False: f"You originated no first-lien home purchase loan or refinancing on a "
                f"one-to-four-unit dwelling in {year.year - 1}.",
                None: f"Whether you originated a first-lien home purchase loan or refinancing on a "
                f"one-to-four-unit dwelling in {year.year - 1}.",
            }[answers.home_loan],
            "12 CFR 1003.2(g)(1)(iii)",
            who,
        )


def _asset_condition(year: FilingYear, answers: Answers) -> Condition:
    threshold, day = year.asset_threshold, f"December 31, {year.year - 1}"
    holds = None
    if threshold is None:
        text = f"The asset threshold of {year.year} is not published yet."
    elif answers.assets is None:
        text = f"Whether your assets on {day} were above ${threshold:,}."
    else:
        holds = answers.assets > threshold
        above = "above" if holds else "not above"
        text = f"Your assets on {day}, ${answers.assets:,}, were {above} ${threshold:,}."
    return Condition("assets", holds, text, "12 CFR 1003.2(g)(1)(i)", Topic.THRESHOLDS)


def _office_condition(year: FilingYear, answers: Answers, *, is_lender: bool) -> Condition:
    day = f"December 31, {year.year - 1}"
    office = f"home or branch office in a metropolitan statistical area on {day}."
    text = {
        True: f"You had a {office}",
        False: f"You had no {office}",
        None: f"Whether you had a {office}",
    }[answers.office]
    clause = "(2)(i)" if is_lender else "(1)(ii)"
    return Condition("office", answers.office, text, f"12 CFR 1003.2(g){clause}", Topic.WHO_REPORTS)


def _closed_end_condition(year: FilingYear, answers: Answers) -> Condition:
    if year.year in VACATED.years:
        known = [count for count in answers.closed_end if count is not None]
        if len(known) == len(answers.closed_end) and VACATED.lower <= min(known) < VACATED.upper:
            return Condition("closed_end", None, VACATED.text, VACATED.section, Topic.THRESHOLDS)
        # Between the two, one number is not enough to tell.
        below = [count for count in known if count < VACATED.lower]
        threshold = VACATED.lower if below else VACATED.upper
        if not below and len(known) < len(answers.closed_end):
            unknown = replace(answers, closed_end=(None, None))
            return _loans_condition(year, unknown, CLOSED_END, VACATED.lower)
        return _loans_condition(year, answers, CLOSED_END, threshold)
    return _loans_condition(year, answers, CLOSED_END, year.closed_end_threshold)


def _loans_condition(
    year: FilingYear, answers: Answers, kind: LoanKind, threshold: int | None
) -> Condition:
    """Return whether at least `threshold` loans were originated in each of the two years before."""
    counts: tuple[int | None, int | None] = getattr(answers, kind.question)
    names = dict(zip((year.year - 1, year.year - 2), counts, strict=True))
    known = {name: count for name, count in names.items() if count is not None}
    paragraph = "(2)(ii)" if answers.kind is InstitutionKind.LENDER else "(1)(v)"
    section = f"12 CFR 1003.2(g){paragraph}{kind.letter}"
    holds = None
    if threshold is None:
        text = f"The threshold of {kind.plural} in {year.year} is not known here."
    elif below := [name for name, count in known.items() if count < threshold]:
        holds = False
        number = f"{known[below[0]]:,} {kind.plural}"
        text = f"You originated {number} in {below[0]}, fewer than {threshold}."
        section = f"{section}, {kind.excluded}"
    elif len(known) == len(counts):
        holds = True
        text = (
            f"You originated at least {threshold} {kind.plural} in {year.year - 2} "
            f"({counts[1]:,}) and in {year.year - 1} ({counts[0]:,})."
        )
    else:
        text = (
            f"Whether you originated at least {threshold} {kind.plural} in {year.year - 2} and in "
            f"{year.year - 1}."
        )
    return Condition(kind.question, holds, text, section, Topic.THRESHOLDS)


def _conclude_quarterly(
    year: FilingYear, answers: Answers, closed_end: Conclusion, open_end: Conclusion
) -> Conclusion:
    """Return whether the first three quarters of the year are filed too."""
    threshold, before = year.quarterly_threshold, year.year - 1
    if threshold is None:
        text = f"Data of {year.year} are not filed by quarter."
        return Conclusion(Verdict.NO, (Condition("year", False, text, _QUARTERS, Topic.QUARTERS),))
    conditions = [_covered_condition((closed_end, open_end))]
    holds = None if answers.records is None else answers.records >= threshold
    conditions.append(
        Condition(
            "records",
            holds,
            f"Whether you reported at least {threshold:,} records for {before}, without purchased "
            "loans."
            if holds is None
            else f"You reported {answers.records:,} records for {before}, without purchased loans: "
            f"{'at least' if holds else 'fewer than'} {threshold:,}.",
            _QUARTERS,
            Topic.QUARTERS,
        )
    )
    return _conclude(tuple(conditions))


def _covered_condition(loans: tuple[Conclusion, ...]) -> Condition:
    """Return whether the institution reports any loans at all."""
    if any(each.is_yes for each in loans):
        holds, text = True, "You report loans of this year."
    elif all(each.is_no for each in loans):
        holds, text = False, "You need not report any loans of this year."
    else:
        holds, text = None, "Whether you report loans of this year at all."
    return Condition("covered", holds, text, "12 CFR 1003.2(g)", Topic.WHO_REPORTS)


def _conclude_partial(
    year: FilingYear, answers: Answers, reported: Conclusion, kind: LoanKind
) -> Conclusion:
    """Return whether the optional data of a kind of loans may be left out."""
    return _conclude(tuple(_partial_conditions(year, answers, reported, kind)))


def _partial_conditions(
    year: FilingYear, answers: Answers, reported: Conclusion, kind: LoanKind
) -> Iterator[Condition]:
    topic, section = Topic.PARTIAL_EXEMPTION, f"12 CFR {kind.exempt}"
    if reported.is_no:
        text = f"You need not report {kind.plural} at all."
        yield Condition("covered", False, text, section, topic)
        return
    text = f"You report {kind.plural}." if reported.is_yes else f"Whether you report {kind.plural}."
    yield Condition("covered", reported.is_yes or None, text, section, topic)
    insured = None if answers.federal is None else answers.federal is FederalTie.INSURED
    if answers.kind is InstitutionKind.LENDER:
        insured = False
    yield Condition(
        "kind" if answers.kind is InstitutionKind.LENDER else "federal",
        insured,
        {
            True: "You are an insured bank, savings association or credit union.",
            False: "Only insured banks, savings associations and credit unions are partially "
            "exempt.",
            None: "Whether you are federally insured.",
        }[insured],
        section,
        topic,
    )
    yield _few_loans_condition(year, answers, kind)
    if answers.kind in (InstitutionKind.BANK, None):
        yield Condition(
            "low_cra",
            None if answers.low_cra is None else not answers.low_cra,
            {
                True: "Your ratings under the Community Reinvestment Act rule it out.",
                False: "Your ratings under the Community Reinvestment Act do not rule it out.",
                None: "What your last ratings under the Community Reinvestment Act are.",
            }[answers.low_cra],
            "12 CFR 1003.3(d)(6)",
            topic,
        )


def _few_loans_condition(year: FilingYear, answers: Answers, kind: LoanKind) -> Condition:
    counts: tuple[int | None, int | None] = getattr(answers, kind.question)
    known = [count for count in counts if count is not None]
    few = f"fewer than {PARTIAL_EXEMPTION}"
    before = f"{kind.plural} in each of {year.year - 2} and {year.year - 1}."
    if any(count >= PARTIAL_EXEMPTION for count in known):
        holds: bool | None = False
        text = f"You originated {max(known):,} {kind.plural} in a year, not {few}."
    elif len(known) == len(counts):
        holds = True
        text = f"You originated {few} {before}"
    else:
        holds = None
        text = f"Whether you originated {few} {before}"
    section = f"12 CFR {kind.exempt}"
    return Condition(kind.question, holds, text, section, Topic.PARTIAL_EXEMPTION)


def _list_questions(
    conditions: tuple[Condition, ...],
    *,
    loans: tuple[Conclusion, ...],
    rest: tuple[Conclusion, ...],
) -> Iterator[str]:
    """Yield the questions that make a difference: those that decide, or may."""
    yield "kind"
    if failed := [each.question for each in conditions if each.holds is False]:
        yield from (name for name in failed if name != "kind")
        return
    yield from (each.question for each in conditions if each.question != "kind")
    yield from (CLOSED_END.question, OPEN_END.question)
    if all(each.is_no for each in loans):
        return
    asked = {
        condition.question
        for each in rest
        for condition in each.reasons
        if each.verdict is not Verdict.NO or condition.holds is False
    }
    yield from (name for name in ("records", "low_cra") if name in asked)


def _is_answered(answers: Answers, question: str) -> bool:
    value = getattr(answers, question)
    return None not in value if isinstance(value, tuple) else value is not None

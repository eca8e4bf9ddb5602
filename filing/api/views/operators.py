"""The operator API: institutions, submissions and follow-ups, for programs of the operator."""

from __future__ import annotations

import re
from typing import Any, ClassVar, cast

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from filing import access, requests, standing
from filing.access import Scope
from filing.api.openapi import operators as openapi
from filing.api.serializers.operators import (
    FigureList,
    FollowUpRequest,
    InstitutionKey,
    InstitutionRequest,
    LeiList,
    StaffInstitution,
    SubmissionHistory,
    show_counts,
)
from filing.api.views.base import AnyJSON, DescribedView, show_paging, show_state
from filing.errors import BadInput, NotFound
from filing.figures import catalogue
from filing.figures.questions import FigureAnswer
from filing.files import responses
from filing.lar.years import Period
from filing.models import StatusChange, Submission
from filing.panel import records
from filing.people.institutions import normalize_lei
from filing.periods import filings
from filing.statuses import Status
from filing.submissions import downloads, edit_counts, interventions, results

_PAGE = 100  # institutions on a page of counts
_SUBMISSION_ID = re.compile(r"([0-9A-Za-z]{20})-([0-9]{4}(?:-Q[123])?)-([0-9]{1,9})")
_FILE_REASON = "Downloaded by a program of the operator."


class OperatorView(DescribedView):
    """An endpoint for the role `hmda-admin`, or a personal token of an administrator."""

    parser_classes = [AnyJSON]
    scopes: ClassVar[dict[str, Scope]] = {}  # by method

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        super().initial(request, *args, **where)
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method in self.scopes:
            access.require_scope(self.caller, self.scopes[method])

    def finalize_response(self, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(*args, **options)
        response["Cache-Control"] = "no-store"
        return response

    @property
    def caller(self) -> access.Caller:
        """The owner of the token."""
        return cast(access.Caller, self.request.user)


class InstitutionsView(OperatorView):
    """Add, change and remove institutions of the panel."""

    scopes: ClassVar = dict.fromkeys(("POST", "PUT", "DELETE"), Scope.WRITE_INSTITUTIONS)

    @openapi.add_institution
    def post(self, request: Request) -> Response:
        return self._save(is_new=True, status=201)

    @openapi.save_institution
    def put(self, request: Request) -> Response:
        return self._save(is_new=False, status=202)

    @openapi.remove_institution
    def delete(self, request: Request) -> Response:
        body = self.read(InstitutionKey)
        lei = normalize_lei(body["lei"])
        records.remove_institution(
            lei, body["activity_year"], reason=body["reason"], by=self.caller
        )
        return Response({"LEI": lei}, status=202)

    def _save(self, *, is_new: bool, status: int) -> Response:
        body = self.read(InstitutionRequest)
        reason = body.pop("reason")
        institution = records.save_institution(
            _list_columns(body), reason=reason, by=self.caller, is_new=is_new
        )
        return Response(StaffInstitution(institution).data, status=status)


class InstitutionView(OperatorView):
    """An institution of the panel, of its newest year."""

    scopes: ClassVar = {"GET": Scope.READ_INSTITUTIONS}

    @openapi.institution
    def get(self, request: Request, lei: str) -> Response:
        return Response(StaffInstitution(records.find_institution(normalize_lei(lei))).data)


class InstitutionOfYearView(OperatorView):
    """An institution of the panel of a year."""

    scopes: ClassVar = {"GET": Scope.READ_INSTITUTIONS}

    @openapi.institution_of_year
    def get(self, request: Request, lei: str, year: str, quarter: str = "") -> Response:
        institution = records.find_institution(normalize_lei(lei), int(year))
        if quarter and not institution.quarterly_filer:
            raise NotFound(f"Institution {institution.lei} does not file quarterly in {year}.")
        return Response(StaffInstitution(institution).data)


class SignedSubmissionView(OperatorView):
    """The signed submission of a period that was signed last, or first."""

    scopes: ClassVar = {"GET": Scope.READ_SUBMISSIONS}

    @openapi.signed_submission
    def get(self, request: Request, lei: str, which: str, period: str) -> Response:
        return Response(show_state(_find_signed(lei, period, oldest=which == "oldest")))


class SubmissionHistoryView(OperatorView):
    """All submissions of a period, with what happened to them."""

    scopes: ClassVar = {"GET": Scope.READ_SUBMISSIONS}

    @openapi.submission_history
    def get(self, request: Request, lei: str, period: str) -> Response:
        lei, of_period = normalize_lei(lei), _read_period(period)
        submissions = list(_match(lei, of_period).order_by("sequence_number"))
        if not submissions:
            raise NotFound(f"There is no submission of {lei[:20]} for {of_period}.")
        changes: dict[int, list[StatusChange]] = {each.pk: [] for each in submissions}
        for change in StatusChange.objects.filter(submission__in=submissions).order_by("at", "pk"):
            changes[change.submission_id].append(change)
        counting = standing.find_counting_submission(submissions[0].filing)
        rows = [
            _with_history(submission, changes[submission.pk], is_counting=submission == counting)
            for submission in submissions
        ]
        return Response(SubmissionHistory({"submissions": rows}).data)


class LatestFileView(OperatorView):
    """The filed text of the submission that was signed last."""

    scopes: ClassVar = {"GET": Scope.READ_FILES}

    @openapi.latest_file
    def get(self, request: Request, lei: str, period: str) -> HttpResponseBase:
        return _answer_with_file(self, _find_signed(lei, period))


class FileView(OperatorView):
    """The text of a submission, by its id."""

    scopes: ClassVar = {"GET": Scope.READ_FILES}

    @openapi.submission_file
    def get(self, request: Request, submission_name: str) -> HttpResponseBase:
        return _answer_with_file(self, _find_submission(submission_name))


class RecordCountView(OperatorView):
    """How many lines and records a submission has."""

    scopes: ClassVar = {"GET": Scope.READ_SUBMISSIONS}

    @openapi.record_count
    def get(self, request: Request, submission_name: str) -> Response:
        submission = _find_submission(submission_name)
        return Response(
            {
                "submissionId": str(submission),
                "lines": submission.lines,
                "records": submission.records,
            }
        )


class FollowUpView(OperatorView):
    """Repeat what follows a signature."""

    scopes: ClassVar = {"POST": Scope.PUBLISH}

    @openapi.repeat_follow_up
    def post(self, request: Request, topic: str, lei: str, period: str, number: str) -> Response:
        reason = self.read(FollowUpRequest)["reason"]
        submission = _find_submission(f"{lei}-{period}-{number}")
        done = interventions.repeat_follow_up(submission, topic, by=self.caller, reason=reason)
        return Response(
            {"submission": str(submission), "topic": topic, "message": done}, status=201
        )


class EditCountsView(OperatorView):
    """The edits of all submissions of one institution, by kind."""

    scopes: ClassVar = {"GET": Scope.READ_SUBMISSIONS}

    @openapi.edit_counts
    def get(self, request: Request, lei: str) -> Response:
        lei = records.find_institution(normalize_lei(lei)).lei
        return Response(show_counts(lei, edit_counts.count_edits([lei]).get(lei, {})))


class AllEditCountsView(OperatorView):
    """The edits of all submissions, by institution."""

    scopes: ClassVar = {"GET": Scope.READ_SUBMISSIONS}

    @openapi.all_edit_counts
    def get(self, request: Request) -> Response:
        leis = edit_counts.list_submitting_leis()
        current_page = requests.select_page(
            request.query_params.get("page"), leis.count(), size=_PAGE
        )
        return Response(
            {
                "institutions": _list_counts(list(leis[current_page.rows])),
                **show_paging(current_page, request.path.rstrip("/")),
            }
        )


class BatchEditCountsView(OperatorView):
    """The edits of the submissions of some institutions: all, or what counts as filed."""

    scopes: ClassVar = {"POST": Scope.READ_SUBMISSIONS}
    counting_only = False

    @openapi.batch_edit_counts
    def post(self, request: Request) -> Response:
        leis = self.read(LeiList)["leis"]
        known = list(edit_counts.list_submitting_leis({normalize_lei(lei) for lei in leis}))
        return Response({"institutions": _list_counts(known, counting_only=self.counting_only)})


class FiledEditCountsView(BatchEditCountsView):
    """The edits of what some institutions filed."""

    counting_only = True

    @openapi.latest_batch_edit_counts
    def post(self, request: Request) -> Response:
        return super().post(request)


class FiguresView(OperatorView):
    """The figures that can be asked for."""

    scopes: ClassVar = {"GET": Scope.READ_FIGURES}

    @openapi.figures
    def get(self, request: Request) -> Response:
        return Response(FigureList({"figures": catalogue.list_figures()}).data)


class FigureView(OperatorView):
    """A figure of a period, as JSON or CSV."""

    scopes: ClassVar = {"GET": Scope.READ_FIGURES}

    @openapi.figure
    def get(self, request: Request, figure: str, period: str) -> HttpResponseBase:
        return Response(self.answer(figure, period).as_json())

    def answer(self, figure: str, period: str) -> FigureAnswer:
        """Return what was asked for. Raises: BadInput; NotFound."""
        sent, described = self.request.query_params.dict(), self._described_parameters()
        # A header of the answer names those that no figure has.
        parameters = {name: text for name, text in sent.items() if name in described}
        as_of = requests.read_day(parameters.pop("asOf", None))
        tests = parameters.pop("testInstitutions", "false")
        if tests not in ("true", "false"):
            raise BadInput(f"testInstitutions is {tests[:40]!r}; enter true or false.")
        return catalogue.answer_figure(
            figure, period=period, as_of=as_of, parameters=parameters, with_tests=tests == "true"
        )


class FigureCsvView(FigureView):
    """A figure of a period as CSV."""

    @openapi.figure_csv
    def get(self, request: Request, figure: str, period: str) -> HttpResponseBase:
        cells = self.answer(figure, period).list_cells()
        return responses.stream_attachment(
            f"{figure}-{period}.csv", responses.write_csv_pieces(cells, size=1_000)
        )


def _list_columns(body: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of the panel of the body of a request."""
    respondent = body.pop("respondent", {})
    companies = {"parent": body.pop("parent", {}), "top_holder": body.pop("topHolder", {})}
    columns = {**body, **respondent}
    for prefix, company in companies.items():
        columns |= {
            f"{prefix}_{column}": company[name]
            for column, name in (("rssd", "idRssd"), ("name", "name"))
            if name in company
        }
    return columns


def _list_counts(leis: list[str], *, counting_only: bool = False) -> list[dict[str, Any]]:
    counts = edit_counts.count_edits(leis, counting_only=counting_only)
    return [show_counts(lei, counts.get(lei, {})) for lei in leis]


def _with_history(submission: Submission, changes: list[StatusChange], *, is_counting: bool) -> Any:
    row: Any = submission
    row.changes_in_order, row.is_counting = changes, is_counting
    return row


def _read_period(text: str) -> Period:
    try:
        return Period.parse(text)
    except ValueError as error:
        raise BadInput(str(error)) from None


def _match(lei: str, period: Period) -> QuerySet[Submission]:
    """Return the submissions of an institution for a period."""
    return Submission.objects.select_related(
        "signature", "filing__institution", "filing__period"
    ).filter(filings.match_filing(lei=lei, period=period, of="filing__"))


def _find_signed(lei: str, period: str, *, oldest: bool = False) -> Submission:
    """Return the submission that was signed last, or first. Raises: BadInput; NotFound."""
    lei, of_period = normalize_lei(lei), _read_period(period)
    signed = _match(lei, of_period).filter(status=Status.SIGNED)
    moment = ("signature__signed_at", "signature__pk")
    submission = signed.order_by(*moment).first() if oldest else signed.order_by(*moment).last()
    if submission is None:
        raise NotFound(f"There is no signed submission of {lei[:20]} for {of_period}.")
    return submission


def _find_submission(submission_name: str) -> Submission:
    """Return the submission of an id. Raises: BadInput; NotFound."""
    match = _SUBMISSION_ID.fullmatch(submission_name)
    if match is None:
        raise BadInput(
            f"{submission_name[:60]!r} is not the id of a submission; enter one such as "
            "529900EXAMPLELEI0001-2024-1."
        )
    lei, period, number = normalize_lei(match[1]), _read_period(match[2]), int(match[3])
    submission = _match(lei, period).filter(sequence_number=number).first()
    if submission is None:
        raise results.refuse_submission_not_found(lei, period, number)
    return submission


def _answer_with_file(view: OperatorView, submission: Submission) -> HttpResponseBase:
    return downloads.download_raw_file(
        view.request._request,
        submission,
        name=f"{submission}.txt",
        reason=view.request.query_params.get("reason", "") or _FILE_REASON,
        by=view.caller,
    )

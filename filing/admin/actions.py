"""Staff actions: preview, reason, run, report. They start from a list or from an object's page.

Each admin page has a table of `AdminAction`s. What they do and refuse is decided below the admin.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from filing import audit
from filing.access import Caller
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, find_caller
from filing.admin.own_pages import OwnPages, WithOwnPages, name_number, render_own_page
from filing.errors import Refusal
from filing.people.own_rights import record_own_rights
from filing.previews import PreviewChanged, digest_preview, require_previewed
from filing.storable_text import decode_json

log = logging.getLogger(__name__)
LIMIT = 1000  # objects per action
KEYS = "pk"
LONGEST_KEY = 18  # digits


@dataclass(frozen=True)
class AdminAction:
    """One action that staff take on an object.

    plan: returns what it would do, or refuses. run: does it and returns what was done, or refuses.
    act: the words of the button that runs it, with {} for the number and name of the objects.
    version: of the object, where its plan does not tell apart what was done to it in between. lock:
    keeps the rows that the plan reads from changing until the action has run.
    """

    name: str
    label: str
    does: str
    permission: str
    plan: Callable[[Any], str]
    run: Callable[..., str]
    act: str = field(kw_only=True)
    version: Callable[[Any], str] = lambda thing: ""
    lock: Callable[[Any], object] | None = None
    asks: str = "Reason"
    hint: str = "Why you take this action. Recorded with your name; all staff can read it."

    def is_possible(self, thing: Any) -> bool:
        """Return whether the object is in a state that allows the action."""
        try:
            self.plan(thing)
        except Refusal:
            return False
        return True


@dataclass(frozen=True)
class ActionLine:
    """The planned or actual result for one object. address: of the object's page."""

    name: str
    address: str
    text: str
    done: bool


class ActionReasonForm(forms.Form):
    """The reason for an action."""

    reason = ReasonField(
        missing="", max_length=REASON_MAX_LENGTH, rows=3, columns=80, look="vLargeTextField"
    )

    def __init__(self, action: AdminAction, *args: Any) -> None:
        super().__init__(*args)
        self.fields["reason"].label = action.asks
        self.fields["reason"].help_text = action.hint


class WithActions(WithOwnPages):
    """Offers a table of actions on the list and on each object's page."""

    staff_actions: tuple[AdminAction, ...] = ()

    def things(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the objects with the related rows that plans read."""
        return self.get_queryset(request)

    def allowed(self, request: HttpRequest) -> list[AdminAction]:
        """Return the actions that the user may take."""
        return [action for action in self.staff_actions if request.user.has_perm(action.permission)]

    def offered(self, request: HttpRequest, thing: Any) -> list[AdminAction]:
        """Return the actions that an object's page links to."""
        return self.allowed(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        list_actions = super().get_actions(request)
        if IS_POPUP_VAR in request.GET:
            return list_actions
        staff_actions = {
            action.name: (_from_list(action), action.name, action.label)
            for action in self.allowed(request)
        }
        return {**list_actions, **staff_actions}

    def own_pages(self) -> OwnPages:
        """Return a page for each action, on which it is previewed and run."""
        pages = (
            (f"act/{action.name.replace('_', '-')}/", partial(_act, self, action), action.name)
            for action in self.staff_actions
        )
        return (*pages, *super().own_pages())

    def preview_action(self, request: HttpRequest, name: str, keys: list[int]) -> HttpResponse:
        """Return the preview of an action on objects. Raises: PermissionDenied."""
        action = next(each for each in self.staff_actions if each.name == name)
        if action not in self.allowed(request):
            raise PermissionDenied(action.permission)
        return _preview(self, request, action, keys)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        obj = context.get("original")
        if obj is not None:
            context["staff_actions"] = [
                {
                    "label": action.label,
                    "address": f"{self.page_address(action.name)}?{KEYS}={obj.pk}",
                }
                for action in self.offered(request, obj)
            ]
        return super().render_change_form(request, context, *args, **options)


class WithPossibleActions(WithActions):
    """Offers only the actions that the object's state allows."""

    def offered(self, request: HttpRequest, thing: Any) -> list[AdminAction]:
        return [action for action in super().offered(request, thing) if action.is_possible(thing)]


def _from_list(action: AdminAction) -> Callable[..., HttpResponse | None]:
    def preview_selected(
        page: WithActions, request: HttpRequest, selected: QuerySet[Any]
    ) -> HttpResponse | None:
        keys = list(selected.order_by().values_list("pk", flat=True)[: LIMIT + 1])
        return _preview(page, request, action, keys)

    return preview_selected


def _act(page: WithActions, action: AdminAction, request: HttpRequest) -> HttpResponse:
    """Preview an action on the objects in the address, or run it on those in the form."""
    if not page.has_view_permission(request) or action not in page.allowed(request):
        raise PermissionDenied(action.permission)
    if request.method != "POST":
        keys = request.GET.getlist(KEYS)
        return _preview(page, request, action, [int(key) for key in keys if _is_key(key)])
    digests, form = _read_digests(request), ActionReasonForm(action, request.POST)
    if not digests or not form.is_valid():
        return _preview(page, request, action, list(digests), form)
    lines: list[ActionLine] = []
    changed: list[int] = []
    for key in list(digests)[:LIMIT]:
        try:
            lines += _run(page, request, action, key, digests[key], form.cleaned_data["reason"])
        except PreviewChanged:
            changed.append(key)
    if changed:
        messages.warning(request, PreviewChanged().message)
        return _preview(page, request, action, changed, form, lines)
    return _render(page, request, action, "report", lines)


def _read_digests(request: HttpRequest) -> dict[int, str]:
    """Return the digests of the objects that the preview listed as ready; none if malformed."""
    try:
        digests = dict(decode_json(request.POST.get("chosen", "")))
    except (ValueError, TypeError):
        return {}
    return {int(key): str(digest) for key, digest in digests.items() if _is_key(str(key))}


def _is_key(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST_KEY


def _preview(
    page: WithActions,
    request: HttpRequest,
    action: AdminAction,
    keys: list[int],
    form: ActionReasonForm | None = None,
    reported: Sequence[ActionLine] = (),
) -> HttpResponse:
    """Show the planned result for each object, or why not, and ask for the reason.

    reported: what was done to others, which had not changed since their preview.
    """
    problem = ""
    if len(keys) > LIMIT:
        problem = (
            f"Nothing was done: more than {LIMIT:,} are selected; an action takes at most "
            f"{LIMIT:,}. Filter the list first."
        )
    things = [] if problem else list(page.things(request).filter(pk__in=keys))
    if not things:
        page.message_user(
            request, problem or "Nothing was done: nothing is selected.", messages.WARNING
        )
        return HttpResponseRedirect(page.page_address("changelist"))
    by = find_caller(request)
    lines = [_line(page, thing, partial(action.plan, thing), by) for thing in things]
    digests = {
        thing.pk: digest_preview(line.text, action.version(thing))
        for thing, line in zip(things, lines, strict=True)
        if line.done
    }
    form, chosen = form or ActionReasonForm(action), json.dumps(digests)
    more = {"form": form, "chosen": chosen, "reported": reported}
    return _render(page, request, action, "preview", lines, **more)


def _run(
    page: WithActions, request: HttpRequest, action: AdminAction, key: int, digest: str, reason: str
) -> Iterable[ActionLine]:
    """Run an action on an object, if it is still there. Raises: PreviewChanged."""
    by, things = find_caller(request), page.things(request).filter(pk=key)
    if thing := things.first():
        run = partial(_run_on_one, action, things, thing, digest, by=by, reason=reason)
        yield _line(page, thing, run, by)


def _run_on_one(
    action: AdminAction,
    things: QuerySet[Any],
    thing: Model,
    digest: str,
    *,
    by: Caller,
    reason: str,
) -> str:
    with record_own_rights(by), transaction.atomic():
        if action.lock:
            action.lock(thing)
            thing = things.get()
        require_previewed(digest, action.plan(thing), action.version(thing))
        return action.run(thing, by=by, reason=reason)


def _line(page: WithActions, thing: Model, outcome: Callable[[], str], by: Caller) -> ActionLine:
    try:
        text, done = outcome(), True
    except PreviewChanged:
        raise
    except Refusal as refusal:
        text, done = refusal.message, False
    # An error with one object must not hide what was done to the others.
    except Exception as error:
        log.exception("An action on %s failed", thing)
        audit.record_error(error, by=lambda: by, about=f"action on {thing}")
        request_id = audit.current_origin().request_id
        text, done = f"Something went wrong on our side; request id {request_id}.", False
    return ActionLine(str(thing), page.page_address("change", thing.pk), text, done)


def _render(
    page: WithActions,
    request: HttpRequest,
    action: AdminAction,
    step: str,
    lines: list[ActionLine],
    **more: Any,
) -> HttpResponse:
    list_address, done = page.page_address("changelist"), sum(line.done for line in lines)
    context = {
        "action": action,
        "act": action.act.format(name_number(done, page.opts)),
        "address": page.page_address(action.name),
        "list_address": list_address,
        "back": lines[0].address if len(lines) == 1 else list_address,
        "outcomes": lines,
        "done": done,
        "media": page.media,
        **more,
    }
    return render_own_page(page, request, f"admin/actions/{step}.html", action.label, context)

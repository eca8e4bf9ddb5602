"""What staff do to objects: preview, reason, run, report. From a list, or from an object's page.

A page of the admin has a table of `Action`s. What they do and refuse is decided below the admin.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from filing import access, audit
from filing.access import Caller
from filing.admin.own_pages import OwnPages, WithOwnPages, own_page
from filing.admin.reasons import LONGEST, Reason
from filing.errors import Refusal

log = logging.getLogger(__name__)
LIMIT = 1000  # objects at a time
KEYS = "pk"
LONGEST_KEY = 18  # digits


@dataclass(frozen=True)
class Action:
    """One thing that staff do to an object.

    plan: what it would do to one, or a refusal. run: does it and returns what was done, or refuses.
    version: of what was shown; whatever has another one by then was changed in between.
    """

    name: str
    label: str
    does: str
    permission: str
    plan: Callable[[Any], str]
    run: Callable[..., str]
    version: Callable[[Any], str] = lambda thing: ""
    asks: str = "Reason"
    hint: str = "Why you do this. It is kept with your name, and staff can read it."

    def is_possible(self, thing: Any) -> bool:
        """Tell whether it can be done to an object as that is now."""
        try:
            self.plan(thing)
        except Refusal:
            return False
        return True


@dataclass(frozen=True)
class Line:
    """What would happen, or has happened, to one object; address: of its page."""

    name: str
    address: str
    text: str
    done: bool


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = Reason(max_length=LONGEST, rows=3, columns=80, look="vLargeTextField")

    def __init__(self, action: Action, *args: Any) -> None:
        super().__init__(*args)
        self.fields["reason"].label = action.asks
        self.fields["reason"].help_text = action.hint


class WithActions(WithOwnPages):
    """Offers a table of actions on the list and on the page of each object."""

    staff_actions: tuple[Action, ...] = ()

    def things(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the objects with what plans need of them, so that none asks for itself."""
        return self.get_queryset(request)

    def allowed(self, request: HttpRequest) -> list[Action]:
        """Return the actions that the user may take."""
        return [each for each in self.staff_actions if request.user.has_perm(each.permission)]

    def offered(self, request: HttpRequest, thing: Any) -> list[Action]:
        """Return the actions that the page of an object leads to."""
        return self.allowed(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        offered = super().get_actions(request)
        if IS_POPUP_VAR in request.GET:
            return offered
        ours = {
            each.name: (_from_list(each), each.name, each.label) for each in self.allowed(request)
        }
        return {**offered, **ours}

    def own_pages(self) -> OwnPages:
        """Return a page for each action, on which it is previewed and run."""
        ours = (
            (f"act/{action.name.replace('_', '-')}/", partial(_act, self, action), action.name)
            for action in self.staff_actions
        )
        return (*ours, *super().own_pages())

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        obj = context.get("original")
        if obj is not None:
            context["staff_actions"] = [
                {"label": action.label, "address": f"{_address(self, action.name)}?{KEYS}={obj.pk}"}
                for action in self.offered(request, obj)
            ]
        return super().render_change_form(request, context, *args, **options)


class WithPossibleActions(WithActions):
    """Offers on the page of an object only what can be done to it now."""

    def offered(self, request: HttpRequest, thing: Any) -> list[Action]:
        return [each for each in super().offered(request, thing) if each.is_possible(thing)]


def _from_list(action: Action) -> Callable[..., HttpResponse | None]:
    def choose(
        page: WithActions, request: HttpRequest, chosen: QuerySet[Any]
    ) -> HttpResponse | None:
        keys = list(chosen.order_by().values_list("pk", flat=True)[: LIMIT + 1])
        return _preview(page, request, action, keys)

    return choose


def _act(page: WithActions, action: Action, request: HttpRequest) -> HttpResponse:
    """Preview an action on the objects of the address, or run it on those of the form."""
    if not page.has_view_permission(request) or action not in page.allowed(request):
        raise PermissionDenied(action.permission)
    if request.method != "POST":
        asked = request.GET.getlist(KEYS)
        return _preview(page, request, action, [int(key) for key in asked if _is_key(key)])
    chosen, form = _chosen(request), ReasonForm(action, request.POST)
    if not chosen or not form.is_valid():
        return _preview(page, request, action, list(chosen), form)
    lines = list(_run(page, request, action, chosen, form.cleaned_data["reason"]))
    return _shown(page, request, action, "report", lines)


def _chosen(request: HttpRequest) -> dict[int, str]:
    """Return which objects were shown as ready, and the version of each; nothing if it is junk."""
    try:
        chosen = dict(json.loads(request.POST.get("chosen", "")))
    except (ValueError, TypeError):
        return {}
    return {int(key): str(version) for key, version in chosen.items() if _is_key(str(key))}


def _is_key(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST_KEY


def _preview(
    page: WithActions,
    request: HttpRequest,
    action: Action,
    keys: list[int],
    form: ReasonForm | None = None,
) -> HttpResponse:
    """Show what would happen to each object, or why not, and ask for the reason."""
    refused = ""
    if len(keys) > LIMIT:
        refused = (
            f"More than {LIMIT:,} are chosen, and an action takes at most {LIMIT:,} at a time. "
            "Narrow the list with its filters."
        )
    things = [] if refused else list(page.things(request).filter(pk__in=keys))
    if not things:
        page.message_user(
            request, refused or "Nothing was done: nothing is chosen.", messages.WARNING
        )
        return HttpResponseRedirect(_address(page, "changelist"))
    lines = [_line(page, thing, partial(action.plan, thing)) for thing in things]
    ready = [thing for thing, line in zip(things, lines, strict=True) if line.done]
    chosen = json.dumps({thing.pk: action.version(thing) for thing in ready})
    form = form or ReasonForm(action)
    return _shown(page, request, action, "preview", lines, form=form, chosen=chosen)


def _run(
    page: WithActions, request: HttpRequest, action: Action, chosen: dict[int, str], reason: str
) -> Iterable[Line]:
    """Run an action on each object that is still as it was shown."""
    by = access.caller_of(cast(User, request.user))
    for thing in page.things(request).filter(pk__in=list(chosen)[:LIMIT]):
        do = partial(_do, action, thing, chosen[thing.pk], by=by, reason=reason)
        yield _line(page, thing, do)


def _do(action: Action, thing: Model, version: str, *, by: Caller, reason: str) -> str:
    action.plan(thing)  # why it cannot be done says more than that it was changed
    if action.version(thing) != version:
        raise Refusal("It was changed after you had looked at it. Look at it again.")
    return action.run(thing, by=by, reason=reason)


def _line(page: WithActions, thing: Model, say: Callable[[], str]) -> Line:
    try:
        text, done = say(), True
    except Refusal as refusal:
        text, done = refusal.message, False
    # Whatever goes wrong with one object, what was done to the others must be told.
    except Exception:
        log.exception("An action on %s failed", thing)
        text, done = f"An error of the service. In its log: {audit.origin().request_id}.", False
    return Line(str(thing), _address(page, "change", thing.pk), text, done)


def _shown(
    page: WithActions,
    request: HttpRequest,
    action: Action,
    step: str,
    lines: list[Line],
    **more: Any,
) -> HttpResponse:
    shown = {
        "action": action,
        "address": _address(page, action.name),
        "list_address": _address(page, "changelist"),
        "outcomes": lines,
        "done": sum(line.done for line in lines),
        "media": page.media,
        **more,
    }
    return own_page(page, request, f"admin/actions/{step}.html", action.label, shown)


def _name(page: WithActions, view: str) -> str:
    return f"{page.opts.app_label}_{page.opts.model_name}_{view}"


def _address(page: WithActions, view: str, *arguments: object) -> str:
    return reverse(f"{page.admin_site.name}:{_name(page, view)}", args=arguments)

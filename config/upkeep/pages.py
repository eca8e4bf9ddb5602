"""The pages of the admin about evidence and backups, and those that request a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.contrib import admin, messages
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.management.base import CommandError
from django.db.models import Count, Max, Min
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from config.backups import manifests
from config.backups.manifests import BackupPart, Manifest
from config.management.backup_targets import open_target
from config.upkeep import (
    BACK_UP,
    DRILL,
    VERIFY_BACKUP,
    VERIFY_LOG,
    VERIFY_RECEIPTS,
    key_rotations,
    tasks,
)
from config.upkeep.tasks import TASK_KINDS, TaskKind
from filing import registries
from filing.admin.forms import ReasonForm, find_caller
from filing.audit import chain, keys, verification
from filing.errors import NotFound, Refusal
from filing.models import (
    KeyRotation,
    OperatorTask,
    ReceiptKey,
    SignedReceipt,
    UnsealedEntry,
)
from filing.registries import AdminLink

_EVIDENCE, _BACKUPS = "Audit chain and receipt keys", "Backups"
MAY_SEE_EVIDENCE = "filing.view_chaincheck"
MAY_SEE_BACKUPS = "filing.view_operatortask"
MAY_REQUEST = "filing.add_operatortask"
MAY_ROTATE = "filing.add_keyrotation"
MOST_BACKUPS = 10  # that the page lists, the newest first
_LISTED_SECONDS = 30  # for which a list of backups is shown again, unless a task ended
_RECENT_TASKS = 5
_UNREADABLE = (OSError, BotoCoreError, ClientError, ImproperlyConfigured, CommandError)

registries.register_admin_links(
    AdminLink(
        _EVIDENCE,
        "admin:evidence",
        (MAY_SEE_EVIDENCE,),
        "Their state, and verify them; a new receipt key needs two administrators.",
        place=310,
    ),
    AdminLink(
        _BACKUPS,
        "admin:backups",
        (MAY_REQUEST,),
        "The last backups; verify one, drill a restore, back up now.",
        place=320,
    ),
)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A public receipt key. is_in_use: whether this machine signs with it."""

    key: ReceiptKey
    is_known: bool
    is_in_use: bool
    receipts: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class BackupRow:
    """A backup, and the last task of each kind about it."""

    manifest: Manifest
    began_at: datetime
    verified: OperatorTask | None
    drilled: OperatorTask | None


def list_keys() -> tuple[list[KeyRow], str]:
    """Return the receipt keys, the newest first, and why none can sign; blank if one can."""
    try:
        signing = keys.examine_signing_key()
        problem = ""
    except keys.NoUsableKey as error:
        signing, problem = None, str(error)
    known = {key.pk for key in keys.list_public_keys()}
    numbers = {
        key: (number, first, last)
        for key, number, first, last in SignedReceipt.objects.order_by()
        .values_list("key")
        .annotate(number=Count("pk"), first=Min("issued_at"), last=Max("issued_at"))
    }
    rows = [
        KeyRow(
            key,
            key.pk in known,
            bool(signing and signing.kid == key.kid),
            *numbers.get(key.pk, (0, None, None)),
        )
        for key in ReceiptKey.objects.order_by("-pk")
    ]
    return rows, problem


@require_safe
def show_evidence(request: HttpRequest) -> HttpResponse:
    """Show the state of the audit chain and of the receipt keys."""
    _require(request, MAY_SEE_EVIDENCE)
    head, seal = chain.find_head_of_site(), chain.find_last_seal()
    rows, problem = list_keys()
    rotation = KeyRotation.objects.first()
    context = {
        "last": next(verification.find_checks(), None),
        "head": head,
        "seal": seal,
        "unsealed": UnsealedEntry.objects.count(),
        "keys": rows,
        "problem": problem,
        "from_setting": bool(settings.RECEIPT_SIGNING_KEY),
        "rotation": rotation,
        "new_key": key_rotations.find_new_key(rotation) if rotation else "",
        "is_expired": bool(rotation and key_rotations.is_expired(rotation)),
        "may_rotate": request.user.has_perm(MAY_ROTATE),
        "days": key_rotations.VALID_FOR.days,
        "tasks": _recent_tasks(VERIFY_LOG, VERIFY_RECEIPTS),
    }
    return _render(request, "evidence", _EVIDENCE, context)


@require_safe
def show_backups(request: HttpRequest) -> HttpResponse:
    """Show the last backups, whether they were verified, and whether one is overdue."""
    _require(request, MAY_SEE_BACKUPS)
    rows, problem = list_backups()
    newest = next((row for row in rows if row.manifest.is_complete), None)
    context = {
        "is_set": bool(settings.BACKUP_URL),
        "backups": rows,
        "problem": problem,
        "newest": newest,
        "is_late": not newest or newest.began_at < timezone.now() - manifests.LATE_AFTER,
        "most": MOST_BACKUPS,
        "tasks": _recent_tasks(BACK_UP, VERIFY_BACKUP, DRILL),
    }
    return _render(request, "backups", _BACKUPS, context)


def list_backups() -> tuple[list[BackupRow], str]:
    """Return the newest backups, and why they cannot be read; blank if they can."""
    if not settings.BACKUP_URL:
        return [], ""
    try:
        found = _read_manifests()
    except _UNREADABLE as error:
        return [], str(error).partition("\n")[0]
    ended = OperatorTask.objects.filter(
        about__in=[manifest.id for manifest in found], is_sound__isnull=False
    ).select_related("job")
    last = {(task.kind, task.about): task for task in ended.order_by("pk")}
    rows = [
        BackupRow(
            manifest,
            datetime.fromisoformat(manifest.began_at),
            last.get((VERIFY_BACKUP, manifest.id)),
            last.get((DRILL, manifest.id)),
        )
        for manifest in found
    ]
    return rows, ""


def _read_manifests() -> list[Manifest]:
    """Return the newest manifests, read again once a task has ended since."""
    ended = OperatorTask.objects.filter(is_sound__isnull=False).aggregate(last=Max("pk"))["last"]
    key = f"upkeep:backups:{ended}"
    stored: list[dict[str, Any]] | None = cache.get(key)
    if stored is None:
        target = open_target(settings.BACKUP_URL)
        newest = islice(manifests.read_finished_manifests(target), MOST_BACKUPS)
        stored = [asdict(manifest) for manifest in newest]
        cache.set(key, stored, _LISTED_SECONDS)
    return [
        Manifest(**{**each, **{part: BackupPart(**each[part]) for part in ("database", "files")}})
        for each in stored
    ]


def request_task(request: HttpRequest, kind: str) -> HttpResponse:
    """Ask for the reason of a task, then queue it."""
    _require(request, MAY_REQUEST)
    try:
        found = tasks.find_task_kind(kind)
    except NotFound as error:
        raise Http404 from error
    about = request.GET.get("backup", "")
    back_title, back = _page_of(found)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            task = tasks.request_task(
                kind,
                by=find_caller(request),
                reason=form.cleaned_data["reason"],
                about=about,
            )
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return HttpResponseRedirect(back)
        return HttpResponseRedirect(_address_of(task))
    context = {
        "kind": found,
        "about": about,
        "form": form,
        "act": found.label,
        "back": back,
        "back_title": back_title,
    }
    return _render(request, "request", found.label, context)


def request_rotation(request: HttpRequest) -> HttpResponse:
    """Ask for the reason of a new receipt key, then record the request."""
    _require(request, MAY_ROTATE)
    form = ReasonForm(request.POST or None)
    back = reverse("admin:evidence")
    if form.is_valid():
        try:
            rotation = key_rotations.request_rotation(
                by=find_caller(request), reason=form.cleaned_data["reason"]
            )
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return HttpResponseRedirect(back)
        messages.success(request, "The request is recorded. Another administrator can approve it.")
        return HttpResponseRedirect(reverse("admin:filing_keyrotation_change", args=[rotation.pk]))
    context = {
        "form": form,
        "act": "Request a new key",
        "back": back,
        "back_title": _EVIDENCE,
        "days": key_rotations.VALID_FOR.days,
        "from_setting": bool(settings.RECEIPT_SIGNING_KEY),
    }
    return _render(request, "rotation", "Request a new receipt key", context)


PAGES: tuple[tuple[str, Callable[..., HttpResponse], str], ...] = (
    ("evidence/", show_evidence, "evidence"),
    ("evidence/new-key/", request_rotation, "request_rotation"),
    ("backups/", show_backups, "backups"),
    ("tasks/<slug:kind>/", request_task, "request_task"),
)


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied(permission)


def _recent_tasks(*kinds: str) -> list[OperatorTask]:
    rows = OperatorTask.objects.filter(kind__in=kinds).select_related("job")
    return list(rows[:_RECENT_TASKS])


def _page_of(kind: TaskKind) -> tuple[str, str]:
    """Return the title and the address of the page from which a task is requested."""
    if kind.name in {BACK_UP, VERIFY_BACKUP, DRILL}:
        return _BACKUPS, reverse("admin:backups")
    return _EVIDENCE, reverse("admin:evidence")


def _address_of(task: OperatorTask) -> str:
    return reverse("admin:filing_operatortask_change", args=[task.pk])


def _render(
    request: HttpRequest, template: str, title: str, context: dict[str, Any]
) -> TemplateResponse:
    page = {
        **admin.site.each_context(request),
        "title": title,
        "may_request": request.user.has_perm(MAY_REQUEST),
        "kinds": TASK_KINDS,
        **context,
    }
    return TemplateResponse(request, f"admin/upkeep/{template}.html", page)

"""Refusals of what a form checked before, when another user was faster."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.shortcuts import redirect

from filing.errors import Refusal


class WithRefusals(admin.ModelAdmin):
    """Shows a refusal while a form is saved as a message, and the form again; nothing is saved."""

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        try:
            return super().changeform_view(request, *args, **options)
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect(request.get_full_path())

"""The address of the caller's own user record."""

from __future__ import annotations

from django.urls import re_path

from filing.api.views.people import OwnRecord

app_name = "users"
urlpatterns = [re_path(r"^users/?$", OwnRecord.as_view(), name="own")]

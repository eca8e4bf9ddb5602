"""The public list of changes as JSON, and its feed and that of publications in Atom.

With their JSON shapes and OpenAPI descriptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.changes import entries, feeds
from databrowser.changes.entries import ChangesQuery
from databrowser.models import Change, Publication
from filing import requests
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.api.serializers.filings import Links
from filing.api.value_schemas import list_schema, match_any
from filing.pages.markdown import render_markdown

CHANGES = "/v2/public/changes"
PAGE = "/data/changes/"
TAG = "Publications"
_IN_A_FEED = 50


class Corrected(serializers.Serializer[Any]):
    """What a correction corrects."""

    year = serializers.IntegerField(source="wrong_version.year", default=None, allow_null=True)
    dataset = serializers.CharField(source="wrong_version.dataset", default=None, allow_null=True)
    version = serializers.CharField(source="wrong_version.name", default=None, allow_null=True)
    report = serializers.CharField(source="wrong_report")
    permanent = serializers.CharField(
        source="wrong_version.permanent_address",
        default=None,
        allow_null=True,
        help_text="The address that the version keeps for good.",
    )


class ChangeBody(serializers.Serializer[Any]):
    """An entry of the list of changes."""

    id = serializers.IntegerField()
    slug = serializers.CharField(help_text="The anchor of the entry on its page.")
    date = serializers.DateField()
    type = serializers.ChoiceField(Change.Type.choices)
    product = serializers.ChoiceField(Change.Product.choices)
    title = serializers.CharField()
    description = serializers.CharField(help_text="Markdown.")
    html = serializers.SerializerMethodField(help_text="The description as HTML.")
    href = serializers.CharField(help_text="Where to read on; may be blank.")
    corrects = serializers.SerializerMethodField()
    amendedAt = serializers.DateTimeField(
        source="amended_at", allow_null=True, help_text="In UTC; null if it was never amended."
    )

    def get_html(self, change: Change) -> str:
        return render_markdown(change.description)

    @extend_schema_field(Corrected(allow_null=True))
    def get_corrects(self, change: Change) -> dict[str, Any] | None:
        if not (change.wrong_version or change.wrong_report):
            return None
        return dict(Corrected(change).data)


class ChangePage(serializers.Serializer[Any]):
    """A page of changes, newest day first."""

    changes = ChangeBody(many=True)
    count = serializers.IntegerField(help_text="Number of entries on this page.")
    total = serializers.IntegerField()
    _links = Links()


_FILTERS = [
    OpenApiParameter(
        "type",
        list_schema(match_any(Change.Type.values)),
        description=f"One or more of {', '.join(Change.Type.values)}, by comma.",
    ),
    OpenApiParameter(
        "product",
        list_schema(match_any(Change.Product.values)),
        description=f"One or more of {', '.join(Change.Product.values)}, by comma.",
    ),
    OpenApiParameter(
        "keywords", str, description="Words by comma; each must occur in title or description."
    ),
    OpenApiParameter("since", OpenApiTypes.DATE, description="The first day, such as 2026-06-30."),
]
_BAD_TYPE = f"The type 'news' is unknown; choose {', '.join(Change.Type.values)}."
_BAD_DAY = "'soon' is not a day; enter one such as 2026-06-30."
_ATOM = {(200, "application/atom+xml"): OpenApiTypes.STR, 304: UNCHANGED}


class Changes(PublicView):
    """The list of changes, newest day first."""

    @extend_schema(
        summary="List changes and corrections",
        tags=[TAG],
        auth=[],
        parameters=[
            *_FILTERS,
            OpenApiParameter(
                "page", int, description="Page number, 20 entries per page; 1 if left out."
            ),
            IF_NONE_MATCH,
        ],
        responses={200: ChangePage, 304: UNCHANGED, 400: refused(_BAD_TYPE, _BAD_DAY)},
        description=(
            "What became public, what changed and what was wrong, newest day first; within a day "
            "announcements, releases, updates, corrections. Entries are never deleted."
        ),
    )
    def get(self, request: Request) -> HttpResponseBase:
        query = ChangesQuery.of(request.query_params)
        found = query.find()
        page = requests.select_page(request.query_params.get("page"), found.count())
        rows = list(found[page.rows])
        body = ChangePage(
            {
                "changes": rows,
                "count": len(rows),
                "total": page.total,
                "_links": page.links(CHANGES),
            }
        ).data
        return feeds.answer_dated(request, body, lambda: Response(body), _times(rows))


class ChangesFeed(PublicView):
    """The newest changes in Atom."""

    @extend_schema(
        summary="Follow changes and corrections in Atom",
        tags=[TAG],
        auth=[],
        parameters=[*_FILTERS, IF_NONE_MATCH],
        responses={**_ATOM, 400: refused(_BAD_TYPE, _BAD_DAY)},
        description=f"The newest {_IN_A_FEED} entries of the list of changes (RFC 4287).",
    )
    def get(self, request: Request) -> HttpResponseBase:
        rows = list(ChangesQuery.of(request.query_params).find()[:_IN_A_FEED])
        feed = feeds.make_feed("Changes and corrections", request, page=PAGE)
        for change in rows:
            feed.add_item(
                title=change.title,
                link=urljoin(settings.PUBLIC_URL, f"{PAGE}#{change.slug}"),
                description=render_markdown(change.description),
                unique_id=feeds.name_entry("change", change.pk),
                pubdate=feeds.find_midnight(change.date),
                updateddate=change.amended_at or change.written_at,
                categories=[change.type, change.product],
            )
        return feeds.answer_feed(request, feed, _times(rows))


class PublicationsFeed(PublicView):
    """The newest entries of the publication history in Atom."""

    @extend_schema(
        summary="Follow what becomes public in Atom",
        tags=[TAG],
        auth=[],
        parameters=[IF_NONE_MATCH],
        responses=_ATOM,
        description=f"The newest {_IN_A_FEED} entries of the publication history (RFC 4287).",
    )
    def get(self, request: Request) -> HttpResponseBase:
        history = Publication.objects.select_related("version").defer("version__manifest")
        rows = list(history[:_IN_A_FEED])
        feed = feeds.make_feed("Publications", request, page=PAGE)
        for entry in rows:
            feed.add_item(
                title=entries.name_publication(entry),
                link=urljoin(settings.PUBLIC_URL, entry.version.page_address),
                description=entry.reason,
                unique_id=feeds.name_entry("publication", entry.pk),
                pubdate=entry.at,
                updateddate=entry.at,
            )
        return feeds.answer_feed(request, feed, [entry.at for entry in rows])


def _times(changes: Iterable[Change]) -> list[datetime]:
    return [change.amended_at or change.written_at for change in changes]

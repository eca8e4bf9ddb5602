"""The public list of changes as JSON, and its feed and that of publications in Atom.

With their JSON shapes and OpenAPI descriptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.changes import entries
from databrowser.changes.entries import ChangesQuery
from databrowser.models import Change, Publication
from filing import requests
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.api.serializers.filings import Links
from filing.files import responses
from filing.pages.markdown import render_markdown

CHANGES = "/v2/public/changes"
PAGE = "/data/changes/"
TAG = "Publications"
_SINCE_YEAR = 2026  # of the tags of entries: the host must have been ours then (RFC 4151)
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
    amendedAt = serializers.DateTimeField(  # noqa: N815
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
        "type", str, description=f"One or more of {', '.join(Change.Type.values)}, by comma."
    ),
    OpenApiParameter(
        "product", str, description=f"One or more of {', '.join(Change.Product.values)}, by comma."
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
        return _answer(request, body, lambda: Response(body), _times(rows))


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
        feed = _feed("Changes and corrections", request)
        for change in rows:
            feed.add_item(
                title=change.title,
                link=urljoin(settings.PUBLIC_URL, f"{PAGE}#{change.slug}"),
                description=render_markdown(change.description),
                unique_id=_tag("change", change.pk),
                pubdate=_midnight(change.date),
                updateddate=change.amended_at or change.written_at,
                categories=[change.type, change.product],
            )
        return _answer_feed(request, feed, _times(rows))


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
        feed = _feed("Publications", request)
        for entry in rows:
            feed.add_item(
                title=entries.name_publication(entry),
                link=urljoin(settings.PUBLIC_URL, entry.version.page_address),
                description=entry.reason,
                unique_id=_tag("publication", entry.pk),
                pubdate=entry.at,
                updateddate=entry.at,
            )
        return _answer_feed(request, feed, [entry.at for entry in rows])


def _times(changes: Iterable[Change]) -> list[datetime]:
    return [change.amended_at or change.written_at for change in changes]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _tag(kind: str, key: int) -> str:
    """Return the identifier of an entry, which never changes. Source: RFC 4151."""
    return f"tag:{urlsplit(settings.PUBLIC_URL).hostname},{_SINCE_YEAR}:{kind}:{key}"


class _Feed(Atom1Feed):
    """A feed that says the same whenever it is asked for, even without entries."""

    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _midnight(date(_SINCE_YEAR, 1, 1))


def _feed(title: str, request: Request) -> Atom1Feed:
    own = urljoin(settings.PUBLIC_URL, request.get_full_path())
    return _Feed(
        title=title,
        link=urljoin(settings.PUBLIC_URL, PAGE),
        description="",
        feed_url=own,
        feed_guid=own,
        author_name=urlsplit(settings.PUBLIC_URL).hostname,
    )


def _answer_feed(request: Request, feed: Atom1Feed, times: list[datetime]) -> HttpResponseBase:
    text = feed.writeString("utf-8")
    return _answer(request, text, lambda: HttpResponse(text, content_type=feed.content_type), times)


def _answer(request: Request, content: Any, answer: Any, times: list[datetime]) -> HttpResponseBase:
    """Return the answer, or 304 if the caller has the same content."""
    response = responses.answer_conditionally(request, responses.make_etag(content), answer)
    if times:
        response["Last-Modified"] = http_date(max(times).timestamp())
    return response

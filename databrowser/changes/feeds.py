"""Feeds in Atom that are the same whenever they are requested. Source: RFC 4287."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import http_date
from rest_framework.request import Request

from filing.files import responses

_SINCE_YEAR = 2026  # of the tags of entries: the host must have been ours then (RFC 4151)


class _Feed(Atom1Feed):
    """A feed that says the same whenever it is asked for, even without entries."""

    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else find_midnight(date(_SINCE_YEAR, 1, 1))


def make_feed(title: str, request: HttpRequest | Request, *, page: str) -> Atom1Feed:
    """Return a feed without entries. page: the path of the page that shows the same."""
    own = urljoin(settings.PUBLIC_URL, request.get_full_path())
    return _Feed(
        title=title,
        link=urljoin(settings.PUBLIC_URL, page),
        description="",
        feed_url=own,
        feed_guid=own,
        author_name=urlsplit(settings.PUBLIC_URL).hostname,
    )


def name_entry(kind: str, key: int | str) -> str:
    """Return the identifier of an entry, which never changes. Source: RFC 4151."""
    return f"tag:{urlsplit(settings.PUBLIC_URL).hostname},{_SINCE_YEAR}:{kind}:{key}"


def find_midnight(day: date) -> datetime:
    """Return the beginning of a day, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def answer_feed(
    request: HttpRequest | Request, feed: Atom1Feed, times: Sequence[datetime]
) -> HttpResponseBase:
    """Return the feed, or 304. times: of its entries."""
    text = feed.writeString("utf-8")
    return answer_dated(
        request, text, lambda: HttpResponse(text, content_type=feed.content_type), times
    )


def answer_dated(
    request: HttpRequest | Request, content: Any, answer: Any, times: Sequence[datetime]
) -> HttpResponseBase:
    """Return the answer, or 304 if the caller has the same content. times: of what is in it."""
    response = responses.answer_conditionally(request, responses.make_etag(content), answer)
    if times:
        response["Last-Modified"] = http_date(max(times).timestamp())
    return response

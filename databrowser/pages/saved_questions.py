"""A saved question: its address has a feed with an entry whenever its figures changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from urllib.parse import urljoin

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse

from databrowser import errors
from databrowser.changes import entries, feeds
from databrowser.pages.browser import DataPage, refuse_in_text
from databrowser.pages.parameters import PageQuestion, describe_value
from databrowser.pages.results import NOTHING
from databrowser.query import snapshots, totals
from databrowser.query.questions import MOST_GROUPS
from databrowser.query.snapshots import Snapshot
from databrowser.query.totals import Total
from filing.errors import Refusal

_MOST_SNAPSHOTS, _MOST_GROUPS = 11, 50
Groups = dict[tuple[str, ...], Total]


class QuestionFeed(DataPage):
    """The figures of a question whenever they changed, newest first, in Atom."""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if not self.live:
            raise Http404("No data set is published.")
        try:
            return self._answer(self.read())
        except Refusal as refusal:
            return refuse_in_text(refusal)

    def _answer(self, question: PageQuestion) -> HttpResponseBase:
        if question.question.number_of_groups > MOST_GROUPS:
            raise errors.too_many_groups(question.question.number_of_groups, MOST_GROUPS)
        question = replace(question, versions=())
        dataset = next(iter(question.datasets), "")
        page = f"{reverse('data-browser')}?{question.query}"
        feed = feeds.make_feed(f"HMDA figures: {question.title}", self.request, page=page)
        years = question.question.years
        last = snapshots.list_snapshots(years, dataset=dataset, most=_MOST_SNAPSHOTS)
        figures = [
            (each, totals.cached_totals(question.question, each.data_sets).groups) for each in last
        ]
        changed = [(after, old, new) for (_, old), (after, new) in pairwise(figures) if old != new]
        for after, old, new in reversed(changed):
            cited = question.cite(after.data_sets)
            feed.add_item(
                title=entries.name_publication(after.publication),
                link=urljoin(settings.PUBLIC_URL, f"{reverse('data-browser')}?{cited.query}"),
                description=_describe(question, after, old, new),
                unique_id=feeds.name_entry(f"figures:{page}", after.publication.pk),
                pubdate=after.publication.at,
                updateddate=after.publication.at,
            )
        return feeds.answer_feed(
            self.request, feed, [after.publication.at for after, _, _ in changed]
        )


def _describe(question: PageQuestion, after: Snapshot, old: Groups, new: Groups) -> str:
    """Return as HTML which figures changed, and by how much."""
    dimensions = [dimension for dimension, _ in question.question.filters]
    moved = [
        (group, old.get(group, NOTHING), new.get(group, NOTHING))
        for group in question.question.groups
        if old.get(group) != new.get(group)
    ]
    rows = [
        {
            "name": ", ".join(map(describe_value, dimensions, group)) or "All records",
            "before": before,
            "after": now,
            "change": now.count - before.count,
        }
        for group, before, now in moved[:_MOST_GROUPS]
    ]
    context = {
        "reason": after.publication.reason,
        "rows": rows,
        "more": max(0, len(moved) - _MOST_GROUPS),
    }
    return render_to_string("databrowser/changed_figures.html", context)

"""The guide for operators as pages for staff: the Markdown documents that come with the service."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urldefrag, urlsplit

from django.conf import settings
from django.contrib import admin
from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCUMENTS = settings.BASE_DIR / "docs"
GUIDE = "operators.md"
TITLE = "Operators' guide"
PICTURES = "pictures"

# Without HTML of its own: what is in a document is text, a link or a picture of ours.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
# Wide tables and commands scroll in their own frame on a small screen, with the keyboard too.
_SCROLLED = {
    "<table>": '<div class="guide-table" tabindex="0" role="region" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the guide under a heading of its own; slug: its place in an address."""

    slug: str
    title: str
    content: SafeString


@cache
def sections() -> tuple[Section, ...]:
    """Return the sections of the guide, in its order."""
    tokens = _tokens(GUIDE)
    starts = [at for at, token in enumerate(tokens) if _opens(token, "h2")]
    return tuple(
        _section(tokens[start:end], GUIDE)
        for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True)
    )


@cache
def document(name: str) -> Section | None:
    """Return another document that the guide leads to, or nothing where there is none."""
    if name not in _documents() - {GUIDE}:
        return None
    tokens = _tokens(name)
    starts = (at for at, token in enumerate(tokens) if _opens(token, "h1"))
    return _section(tokens[next(starts) :], name)  # a note that it is generated may lead


@require_safe
def contents(request: HttpRequest) -> HttpResponseBase:
    """Show what the guide is about."""
    return _page(request, "contents", TITLE, sections=sections())


@require_safe
def section(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show a section, with the one before and the one after it."""
    every = sections()
    at = next((at for at, each in enumerate(every) if each.slug == slug), None)
    if at is None:
        raise Http404("The guide has no such section.")
    before, after = every[max(at - 1, 0) : at], every[at + 1 : at + 2]
    around = {"before": next(iter(before), None), "after": next(iter(after), None)}
    return _page(request, "section", every[at].title, section=every[at], **around)


@require_safe
def further(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show another document."""
    if (found := document(f"{name}.md")) is None:
        raise Http404("There is no such document.")
    return _page(request, "section", found.title, section=found)


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a picture of the guide."""
    known = {path.name: path for path in (DOCUMENTS / PICTURES).glob("*.png")}
    if name not in known:
        raise Http404("The guide has no such picture.")
    return FileResponse(known[name].open("rb"), content_type="image/png")


PAGES: Sequence[tuple[str, Callable[..., HttpResponseBase], str]] = (
    (
        ("guide/", contents, "guide"),
        ("guide/pictures/<str:name>", picture, "guide_picture"),
        ("guide/documents/<path:name>/", further, "guide_document"),
        ("guide/<slug:slug>/", section, "guide_section"),
    )
    if (DOCUMENTS / GUIDE).is_file()  # else the site has no guide, and no door to it
    else ()
)


def _page(request: HttpRequest, name: str, title: str, **shown: Any) -> TemplateResponse:
    context = {**admin.site.each_context(request), "title": title, **shown}
    return TemplateResponse(request, f"admin/guide/{name}.html", context)


def _tokens(name: str) -> list[Token]:
    return _MARKDOWN.parse((DOCUMENTS / name).read_text(encoding="utf-8"))


def _opens(token: Token, tag: str) -> bool:
    return token.type == "heading_open" and token.tag == tag


def _section(tokens: Sequence[Token], document: str) -> Section:
    """Return what is below the heading that leads the tokens; the heading is the page's title."""
    heading, title = tokens[0], tokens[1].content
    below = list(tokens[3:])
    raised = int(heading.tag[1:]) - 1
    for token, following in zip(below, [*below[1:], heading], strict=True):
        _adapt(token, following, raised)
        _adapt_inline(token.children or (), document)
    html = _MARKDOWN.renderer.render(below, _MARKDOWN.options, {})
    for tag, framed in _SCROLLED.items():
        html = html.replace(tag, framed)
    return Section(slugify(title), title, mark_safe(html))  # noqa: S308 -- made without HTML


def _adapt(token: Token, following: Token, raised: int) -> None:
    """Give headings the level and the name that they have on the page; nothing has a style."""
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{int(token.tag[1:]) - raised}"
    if token.type == "heading_open":
        token.attrSet("id", slugify(following.content))
    token.attrs.pop("style", None)


def _adapt_inline(tokens: Iterable[Token], document: str) -> None:
    """Lead links and pictures to where the site has them; what it does not have is no link."""
    is_dead = False
    for token in tokens:
        if token.type == "image":
            name = posixpath.basename(str(token.attrGet("src")))
            token.attrSet("src", reverse("admin:guide_picture", args=[name]))
        elif token.type == "link_open":
            address = _address(str(token.attrGet("href")), document)
            is_dead = not address
            token.attrs = {} if is_dead else {"href": address}
        if is_dead and token.type in {"link_open", "link_close"}:
            token.tag = "span"


def _address(link: str, document: str) -> str:
    """Return where a link of a document leads to on this site; nothing where it has no page."""
    if urlsplit(link).scheme or link.startswith("/"):
        return link
    path, fragment = urldefrag(link)
    name = posixpath.normpath(posixpath.join(posixpath.dirname(document), path or document))
    if name == GUIDE and fragment:
        return reverse("admin:guide_section", args=[fragment])
    if name == GUIDE:
        return reverse("admin:guide")
    if not path:
        return link
    if name not in _documents():
        return ""
    page = reverse("admin:guide_document", args=[name.removesuffix(".md")])
    return f"{page}#{fragment}" if fragment else page


def _documents() -> set[str]:
    return {path.relative_to(DOCUMENTS).as_posix() for path in DOCUMENTS.rglob("*.md")}

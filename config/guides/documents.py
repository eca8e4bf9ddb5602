"""The Markdown documents that come with the service, as HTML for the pages that show them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urldefrag, urlsplit

from django.http import FileResponse, Http404
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from config.guides import inserts
from config.guides.inserts import DOCUMENTS, PICTURES
from filing.pages.markdown import PARSING

SITE = "https://hmda.example"  # the address of a site in the calls of documents
_INSERT = "insert"  # marks a block of a document that a part made by the service replaces

# Without HTML of its own: what is in a document is text, a link or a picture of ours.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
# Wide tables and commands scroll in their own frame on a small screen, with the keyboard too.
_SCROLLING = {
    "<table>": '<div class="guide-table" tabindex="0" role="region" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0" role="region" aria-label="Code">',
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading on a page; slug: its anchor."""

    slug: str
    title: str


@dataclass(frozen=True, slots=True)
class Passage:
    """What a document says below a heading, until the next one; slug: the anchor, or a blank."""

    slug: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GuidePage:
    """What is below a heading of a document. headings: the first level of those on the page."""

    slug: str
    title: str
    content: SafeString
    headings: tuple[Heading, ...]

    @property
    def introduction(self) -> SafeString:
        """What is above the first of the headings."""
        return mark_safe(self.content.partition("<h2 ")[0])  # noqa: S308 -- a part of `content`

    @property
    def body(self) -> SafeString:
        """What follows."""
        return mark_safe(self.content.removeprefix(self.introduction))  # noqa: S308 -- the same


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a reader finds documents and pictures.

    document: the address of a heading in a document, by the document's name and the anchor; empty
    where the reader has no page for it. picture: the address of a picture, by its name. site: the
    address that calls have in place of `SITE`.
    """

    document: Callable[[str, str], str]
    picture: Callable[[str], str]
    site: str = SITE


def document_names() -> frozenset[str]:
    """Return the names of all documents, as in `generated/fields.md`."""
    paths = DOCUMENTS.rglob("*.md")
    return frozenset(path.relative_to(DOCUMENTS).as_posix() for path in paths)


def document_title(name: str) -> str:
    """Return the title of a document."""
    tokens = _tokens(name)
    return _text(tokens[_starts(tokens, "h1")[0] + 1])


def document_headings(name: str, *, level: int = 0) -> tuple[Heading, ...]:
    """Return the headings below the title of a document, all or those of a level, in its order."""
    tokens = _tokens(name)
    tags = {f"h{level}"} if level else {"h2", "h3", "h4"}
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    return tuple(_heading(tokens[at + 1]) for at in starts if tokens[at].tag in tags)


def document_links(name: str) -> list[str]:
    """Return where the links of a document lead to, in its order."""
    return [
        str(token.attrGet("href")) for token in _inline_tokens(name) if token.type == "link_open"
    ]


def document_pictures(name: str) -> frozenset[str]:
    """Return the names of the pictures that a document shows."""
    return frozenset(_picture(token) for token in _inline_tokens(name) if token.type == "image")


def list_passages(name: str) -> tuple[Passage, ...]:
    """Return the text of a document heading by heading, as people search it; first its title."""
    passages: list[Passage] = []
    texts: list[str] = []
    tokens = list(_with_inserts(_tokens(name)))
    for token, following in zip(tokens, [*tokens[1:], *tokens[:1]], strict=True):
        if token.type == "heading_open":
            texts = []
            heading = _heading(following)
            passages.append(Passage("" if token.tag == "h1" else heading.slug, heading.title, ""))
        elif token.type == "heading_close":
            texts = []
        elif token.type in {"inline", "fence"} and passages:
            texts.append(_text(token, between=" ") if token.type == "inline" else token.content)
            passages[-1] = replace(passages[-1], text=" ".join(" ".join(texts).split()))
    return tuple(passages)


def render_document(name: str, addresses: Addresses) -> GuidePage:
    """Return a document as one page."""
    tokens = _tokens(name)
    return _page(tokens[_starts(tokens, "h1")[0] :], name, addresses)


def render_sections(name: str, addresses: Addresses) -> tuple[GuidePage, ...]:
    """Return the sections of a document, each as a page, in its order."""
    tokens = _tokens(name)
    starts = _starts(tokens, "h2")
    ends = [*starts[1:], len(tokens)]
    return tuple(
        _page(tokens[start:end], name, addresses)
        for start, end in zip(starts, ends, strict=bool(starts))
    )


def send_picture(name: str, among: Iterable[str]) -> FileResponse:
    """Return the answer that sends a picture.

    Raises: Http404 for a name that is not among those given.
    """
    if name not in among:
        raise Http404("There is no such picture.")
    return FileResponse((DOCUMENTS / PICTURES / name).open("rb"), content_type="image/png")


def _tokens(name: str) -> list[Token]:
    return _parsed((DOCUMENTS / name).read_text(encoding="utf-8"))


def _inline_tokens(name: str) -> Iterator[Token]:
    return (child for token in _tokens(name) for child in token.children or ())


def _parsed(text: str) -> list[Token]:
    with PARSING:
        return _MARKDOWN.parse(text)


def _with_inserts(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens of a document, with the parts that its inserts name."""
    for token in tokens:
        if token.type != "fence" or token.info != _INSERT:
            yield token
            continue
        part = inserts.make_insert(token.content)
        if isinstance(part, SafeString):
            yield Token("html_block", "", 0, content=part)
        else:
            yield from _parsed(part)


def _starts(tokens: Sequence[Token], tag: str) -> list[int]:
    return [
        at for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == tag
    ]


def _text(inline: Token, *, between: str = "") -> str:
    """Return the text of a paragraph or heading. between: what stands for the end of a line."""
    return "".join(
        between if token.type == "softbreak" else token.content for token in inline.children or ()
    )


def _heading(inline: Token) -> Heading:
    return Heading(slugify(_text(inline)), _text(inline))


def _picture(token: Token) -> str:
    return posixpath.basename(str(token.attrGet("src")))


def _page(tokens: Sequence[Token], name: str, addresses: Addresses) -> GuidePage:
    """Return what is below the heading that comes first; the heading is the title of the page."""
    top, below = tokens[0], list(_with_inserts(tokens[3:]))
    raised = int(top.tag[1:]) - 1
    for token, following in zip(below, [*below[1:], top], strict=True):
        _adapt(token, following, raised)
        if token.type == "fence":
            token.content = token.content.replace(SITE, addresses.site)
        _adapt_inline(token.children or (), name, addresses)
    html = _MARKDOWN.renderer.render(below, _MARKDOWN.options, {})
    for tag, framed in _SCROLLING.items():
        html = html.replace(tag, framed)
    heading = _heading(tokens[1])
    return GuidePage(
        heading.slug,
        heading.title,
        mark_safe(html),  # noqa: S308 -- made without HTML, but for that of our templates
        tuple(_heading(below[at + 1]) for at in _starts(below, "h2")),
    )


def _adapt(token: Token, following: Token, raised: int) -> None:
    """Give headings the level and the anchor that they have on the page; remove styles."""
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{int(token.tag[1:]) - raised}"
    if token.type == "heading_open":
        token.attrSet("id", _heading(following).slug)
    token.attrs.pop("style", None)


def _adapt_inline(tokens: Iterable[Token], name: str, addresses: Addresses) -> None:
    """Point links and pictures to the addresses of the reader; a link without one becomes text."""
    is_dead = False
    for token in tokens:
        if token.type == "image":
            token.attrSet("src", addresses.picture(_picture(token)))
        elif token.type == "link_open":
            address = _address(str(token.attrGet("href")), name, addresses)
            is_dead = not address
            token.attrs = {} if is_dead else {"href": address}
        if is_dead and token.type in {"link_open", "link_close"}:
            token.tag = "span"


def _address(link: str, name: str, addresses: Addresses) -> str:
    """Return where a link of a document leads to for the reader; nothing if there is no page."""
    if urlsplit(link).scheme or link.startswith("/"):
        return link
    path, fragment = urldefrag(link)
    if not path:
        return addresses.document(name, fragment)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    return addresses.document(target, fragment) if target in document_names() else ""

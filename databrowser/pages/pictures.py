"""The chart and the map of an answer, as SVG files."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header

from databrowser.pages.browser import DataPage
from databrowser.pages.parameters import PageQuestion
from databrowser.pages.rendering import Rendering
from databrowser.query import totals
from filing.charts import style
from filing.errors import Refusal
from filing.files import attachments, conditional

PICTURES = ("chart", "map")


class Picture(DataPage):
    """The chart or the map of an answer as SVG; `narrow` is for small screens."""

    def get(self, request: HttpRequest, picture: str) -> HttpResponseBase:
        if picture not in PICTURES or not self.live:
            raise Http404(f"There is no picture {picture} of the published data.")
        try:
            question = self.read()
            etag = f'"{settings.VERSION}-{totals.version_of(question.question, self.live)}"'
            response = conditional.answered(request, etag, lambda: self._file(question, picture))
        except Refusal as refusal:
            text = {"content_type": attachments.TEXT, "status": refusal.status}
            return HttpResponse(refusal.message, **text)
        response["Cache-Control"] = "no-cache"
        return response

    def _file(self, question: PageQuestion, picture: str) -> HttpResponse:
        """Return the picture as SVG.

        Raises: Busy, TooSlow; Http404 for counties without shapes.
        """
        answer = Rendering(question, self.live)
        if picture == "map" and not answer.places.shapes.codes:
            raise Http404(f"There is no county map of {answer.places.state}.")
        width = style.NARROW if "narrow" in self.request.GET else style.WIDTH
        svg = answer.chart(width) if picture == "chart" else answer.places.map(width)
        response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
        if "save" in self.request.GET:
            name = f"hmda-{picture}.svg"
            response["Content-Disposition"] = content_disposition_header(True, name) or ""
        return response

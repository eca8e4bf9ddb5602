"""Vega-Lite without a browser: specifications become SVG or PNG.

Source: Vega-Lite 5, https://vega.github.io/vega-lite/docs/.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from django.core.cache import cache

VERSION = "5.21"  # of Vega-Lite: another one draws another picture
CACHE_SECONDS = 24 * 3600


def svg(spec: Mapping[str, Any], description: str) -> str:
    """Return a specification as SVG, from the cache where any process has drawn it before.

    description: the picture in words, for those who cannot see it.

    The first drawing of a process starts a JavaScript engine: about 0.7 s and 65 MB, later ones
    take 20 to 50 ms. So it is loaded where something is drawn, and not with the module.
    """
    text = json.dumps(spec, sort_keys=True)
    key = f"chart:{VERSION}:{hashlib.sha256(text.encode()).hexdigest()}"
    drawing: str | None = cache.get(key)
    if drawing is None:
        import vl_convert

        drawing = vl_convert.vegalite_to_svg(text, vl_version=VERSION, allowed_base_urls=[])
        cache.set(key, drawing, CACHE_SECONDS)
    return _with_label(drawing, description)


def png(spec: Mapping[str, Any]) -> bytes:
    """Return a specification as PNG, which is needed too rarely to cache."""
    import vl_convert

    return bytes(
        vl_convert.vegalite_to_png(
            json.dumps(spec, sort_keys=True), vl_version=VERSION, scale=2, allowed_base_urls=[]
        )
    )


def _with_label(svg: str, description: str) -> str:
    """Return the SVG as one image with a description, also for use inside a page."""
    return svg.replace("<svg ", f'<svg role="img" aria-label={quoteattr(description)} ', 1)

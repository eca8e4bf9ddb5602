"""Charts in the colors of the site, on dark pages too."""

from __future__ import annotations

from django.conf import settings

from filing.charts import theme


def test_pages_have_the_styles_of_the_theme() -> None:
    styles = settings.BASE_DIR / "config" / "static" / "charts.css"
    assert styles.read_text().endswith(theme.style_dark_charts())

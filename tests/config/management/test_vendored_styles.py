"""The design system's styles as the site derives them, and what pages take from them."""

import pytest

from config.management.vendored_styles import derive_styles


@pytest.mark.parametrize(
    ("css", "derived"),
    [
        (".usa-alert,.usa-banner{margin:0}", ".usa-alert{margin:0}"),
        (".usa-alert--info .usa-modal{margin:0}", ""),
        (".usa-button--inverse{margin:0}", ""),
        (".bg-primary{margin:0}.grid-row{margin:0}", ".grid-row{margin:0}"),
        ("@media print{.usa-modal{margin:0}}", ""),
        ("@media print{a{margin:0}}", "@media print{a{margin:0}}"),
        ('@charset "UTF-8";a::after{content:"{;}"}', '@charset "UTF-8";a::after{content:"{;}"}'),
        ("a{color:#fff;background-color:#fff;border:1px solid #fff}",
         "a{color:var(--on-primary);background-color:var(--paper);border:1px solid var(--paper)}"),
        (":not(.usa-link,.usa-modal){margin:0}", ""),
        (".desktop\\:grid-col-3{width:25%}.desktop\\:bg-ink{margin:0}",
         ".desktop\\:grid-col-3{width:25%}"),
    ],
)  # fmt: skip
def test_rules_of_components_are_kept_in_the_colors_of_the_site(css, derived):
    assert derive_styles(css) == derived


def test_no_font_that_comes_late_moves_a_text():
    assert derive_styles("@font-face{font-display:fallback}") == "@font-face{font-display:optional}"

"""The design system's styles as the site derives them, and what pages take from them."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from config.management.commands.vendor import FOLDER
from config.management.vendored_styles import derive_styles

STYLES = FOLDER / "uswds" / "css" / "uswds.min.css"
SITE = settings.BASE_DIR / "config" / "static" / "site.css"
OWN = sorted(
    path
    for path in settings.BASE_DIR.glob("*/static/**/*.css")
    if FOLDER not in path.parents
    and path.name != "admin.css"  # which names Django's variables
    and path.name != "charts.css"  # which has those of filing/charts/theme.py
)


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


def test_only_the_site_names_colors_and_it_names_all_that_are_used():
    defined, *rest = re.split(r"(?m)^}\n(?!@)", SITE.read_text(), maxsplit=1)
    assert "prefers-color-scheme: dark" in defined
    used = set()
    for text in [*rest, STYLES.read_text(), *(each.read_text() for each in OWN if each != SITE)]:
        assert not re.findall(r"[: (]#[0-9a-f]{3,8}\b", text)
        used |= set(re.findall(r"var\((--[\w-]+)\)", text))
    light, dark = defined.split("@media", 1)
    names = set(re.findall(r"(--[\w-]+):", light))
    assert used <= names
    assert names == set(re.findall(r"(--[\w-]+):", dark))


def read_colors(path: Path) -> list[dict[str, str]]:
    """Return the colors of light and of dark pages that a style sheet defines, by name."""
    parts = path.read_text().split("prefers-color-scheme: dark", 1)
    return [dict(re.findall(r"(--[\w-]+): (#[0-9a-f]+);", part)) for part in parts]


def test_the_admin_has_the_colors_of_all_pages():
    for site, admin in zip(
        read_colors(SITE), read_colors(SITE.with_name("admin.css")), strict=True
    ):
        shared = site.keys() & admin.keys()
        assert len(shared) > 20
        assert {name: admin[name] for name in shared} == {name: site[name] for name in shared}


def test_each_class_of_the_design_system_that_a_page_has_is_in_its_styles():
    styles, asked = STYLES.read_text(), {}
    folders = ("templates", "filing", "databrowser", "graphs", "publicapi", "config", "ratespread")
    for folder in folders:
        for path in (settings.BASE_DIR / folder).rglob("*"):
            if path.suffix in {".html", ".py"}:
                for attribute in re.findall(r'class="([^"]*)"', path.read_text()):
                    asked |= dict.fromkeys(re.findall(r"(?<!\S)usa-[\w-]+(?!\S)", attribute), path)
    missing = {name: path for name, path in asked.items() if f".{name}" not in styles}
    assert len(asked) > 50
    assert not missing

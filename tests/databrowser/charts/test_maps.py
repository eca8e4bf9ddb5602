"""Maps of figures: breaks of the legend and colors of places."""

from __future__ import annotations

import pytest

from databrowser.charts import atlas, maps
from databrowser.charts.maps import PlaceFigure, PlaceLevel, PlaceMap
from filing.charts.theme import NOTHING, SHADES, UNAVAILABLE
from filing.errors import BadInput

COUNTIES = atlas.vendored_county_shapes("DE", year=2022)
KENT, NEW_CASTLE, SUSSEX = "10001", "10003", "10005"


def figure(code: str, value: float | None, *, is_of_few: bool = False) -> PlaceFigure:
    return PlaceFigure(code, f"County {code}", value, f"{value}", is_of_few=is_of_few)


def place_map(*figures: PlaceFigure, **options) -> PlaceMap:
    return PlaceMap(
        level=PlaceLevel.COUNTY,
        shapes=COUNTIES,
        figures=figures,
        measure="Number of records",
        title="Number of records: 2022; State: Delaware",
        description="Number of records by county of Delaware.",
        **{"format_value": "{:,.0f}".format, **options},
    )


def legend(drawn: PlaceMap) -> list[tuple[str, str]]:
    return [(entry.color, entry.text) for entry in drawn.legend]


def colors(drawn: PlaceMap) -> dict[str, str]:
    return {place.figure.code: place.color for place in drawn.places if place.figure}


@pytest.mark.parametrize(
    "text",
    [
        "ten",
        "1,ten",
        "5,1",
        "1,1",
        "1,2,3,4,5,6",
        "nan",
        "inf",
        "1e3",
        "1,000",
        "0x10",
        "٣",
        "9" * 40,
    ],
)
def test_other_breaks_are_refused_with_what_is_accepted(text) -> None:
    with pytest.raises(BadInput, match="enter 1 to 5 ascending numbers, such as 10,100,1000"):
        maps.read_breaks(text)


@pytest.mark.parametrize(
    ("values", "is_whole", "breaks"),
    [
        ([], True, ()),
        ([7], True, ()),
        ([7, 7, 7], True, ()),
        ([1, 2], True, (2,)),
        ([1, 2, 3, 4, 5], True, (2, 3, 4, 5)),
        ([1, 21, 1234, 45678, 999999], True, (21, 1200, 45000, 990000)),
        ([0.0, 0.123, 0.456, 3.21, 12.34], False, (0.12, 0.45, 3.2, 12.0)),
        ([-2.34, -1.27, 0.0, 1.27], False, (-1.3, 0.0, 1.2)),
        ([6.25, 6.252, 6.254, 6.256, 6.258], False, (6.252, 6.254, 6.256, 6.258)),
        ([10_001, 10_002, 10_003], True, (10_002, 10_003)),
    ],
)
def test_usual_breaks_are_round_and_ascend(values, is_whole, breaks) -> None:
    assert maps.find_breaks(values, is_whole=is_whole) == pytest.approx(breaks)


def test_places_have_the_color_of_their_class_in_the_legend() -> None:
    drawn = place_map(figure(KENT, 9), figure(NEW_CASTLE, 10), figure(SUSSEX, 100))
    chosen = place_map(*drawn.figures, chosen_breaks="10,100")
    assert legend(chosen) == [
        (SHADES[0], "under 10"),
        (SHADES[2], "10 to 99"),
        (SHADES[5], "100 or more"),
    ]
    assert colors(chosen) == {KENT: SHADES[0], NEW_CASTLE: SHADES[2], SUSSEX: SHADES[5]}
    assert chosen.breaks_text == "10,100"
    assert [text for _, text in legend(drawn)] == ["under 10", "10 to 99", "100 or more"]


def test_five_breaks_use_all_shades_and_parts_are_not_whole() -> None:
    drawn = place_map(
        figure(KENT, 0.5), chosen_breaks="1,2,3,4,5", is_whole=False, format_value="{:.1f}%".format
    )
    assert [color for color, _ in legend(drawn)][: len(SHADES)] == list(SHADES)
    assert legend(drawn)[1] == (SHADES[1], "1.0% to under 2.0%")


def test_a_figure_that_is_not_available_is_not_one_of_nothing() -> None:
    drawn = place_map(figure(KENT, 12), figure(SUSSEX, None))
    assert [color for color, _ in legend(drawn)] == [SHADES[-2], UNAVAILABLE, NOTHING]
    assert colors(drawn) == {KENT: SHADES[-2], SUSSEX: UNAVAILABLE}
    assert [place.color for place in drawn.places if place.figure is None] == [NOTHING]
    without = place_map(figure(SUSSEX, None))
    assert without.has_figures
    assert [color for color, _ in legend(without)] == [UNAVAILABLE, NOTHING]
    assert legend(without)[0][1] in without.svg()


@pytest.mark.parametrize(
    ("values", "chosen", "numbers"),
    [((1, 2, 3), "", "1"), ((5, 5, 9), "", "1 to 2"), ((1, 2, 3), "9", "0 to 3"), ((), "", "")],
)
def test_the_legend_says_how_many_places_a_shade_covers(values, chosen, numbers) -> None:
    figures = map(figure, (KENT, NEW_CASTLE, SUSSEX), values)
    drawn = place_map(*figures, chosen_breaks=chosen)
    assert (f" {numbers} count" in drawn.coverage) if numbers else not drawn.coverage


def test_a_legend_has_as_many_digits_as_tell_its_classes_apart() -> None:
    def spell(value: float, more: int) -> str:
        return f"{value:.{1 + more}f}%"

    values = (6.25, 6.252, 6.254)
    figures = [*map(figure, (KENT, NEW_CASTLE, SUSSEX), values)]
    drawn = place_map(*figures, is_whole=False, format_value=spell)
    texts = [text for color, text in legend(drawn) if color != NOTHING]
    assert texts == ["under 6.252%", "6.252% to under 6.254%", "6.254% or more"]


def test_breaks_that_are_no_use_say_so_and_the_usual_ones_stay() -> None:
    drawn = place_map(figure(KENT, 1), figure(SUSSEX, 5), chosen_breaks="5,1")
    assert "1 after 5" in drawn.refusal
    assert drawn.breaks == (5,)

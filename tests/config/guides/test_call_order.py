"""The picture of the order of calls, with its text alternative."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from config.guides import call_order
from config.guides.api_calls import filing_calls

SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> ElementTree.Element:
    svg = call_order.draw_call_order().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    return ElementTree.fromstring(svg)


def test_every_step_is_drawn_and_read_out_with_its_calls():
    picture = drawn()
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    description = picture.find(f".//{SVG}desc")
    assert description is not None
    for number, step in enumerate(call_order.STEPS, start=1):
        assert f"{number}. {step.title}" in texts
        assert f"{number}. {step.title}: " in str(description.text)
    sign = "POST …/submissions/{n}/sign"
    assert sign in texts
    assert f"6. Certify and sign: {sign}." in str(description.text)
    assert "With status 5 or 9, correct the file and go back to step 2." in str(description.text)


def test_the_calls_are_those_of_the_api():
    named = {name for step in call_order.STEPS for name in step.calls}
    assert named - set(filing_calls()) == {"checkAReceiptOrAFiledFile"}  # of the public API


def test_nothing_is_drawn_over_another_or_beyond_the_edge():
    picture = drawn()
    svg = picture.find(f"{SVG}svg")
    assert svg is not None
    *_, width, height = map(int, svg.attrib["viewBox"].split())
    boxes = [
        tuple(int(box.attrib[name]) for name in ("x", "y", "width", "height"))
        for box in picture.iter(f"{SVG}rect")
    ]
    for (left, top, wide, high), below in zip(boxes, [*boxes[1:], (0, height, 0, 0)], strict=True):
        assert left >= 0
        assert left + wide < call_order.WIDTH == width
        assert top + high < below[1]
    lines = [text.text or "" for text in picture.iter(f"{SVG}text")]
    assert max(map(len, lines)) < 46
    assert not re.search(r'(fill|stroke)="#', ElementTree.tostring(picture, "unicode"))

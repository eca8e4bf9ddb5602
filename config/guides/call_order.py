"""The order of the calls of a filing as a picture, drawn from the API document."""

from __future__ import annotations

from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from config.guides import api_calls
from filing.statuses import Status

# Units of the picture, which are pixels where it has its own width.
WIDTH = 360
_BOX_WIDTH, _LEFT, _TOP = 316, 2, 4
_TITLE_HEIGHT, _LINE_HEIGHT, _PADDING, _GAP = 24, 18, 8, 34
_RETURN = 344  # where the line of a correction runs


@dataclass(frozen=True, slots=True)
class FilingStep:
    """A step of a filing: the ids of its calls, and the statuses that lead to the next step."""

    title: str
    calls: tuple[str, ...]
    leads_on: tuple[Status, ...] = ()


STEPS = (
    FilingStep("Start the filing, once", ("startAFiling",)),
    FilingStep("Create a submission", ("createASubmission",), (Status.CREATED,)),
    FilingStep("Upload the file", ("uploadAFile",), (Status.UPLOADED,)),
    FilingStep(
        "Follow the status", ("getASubmission",), (Status.QUALITY_ERRORS, Status.MACRO_ERRORS)
    ),
    FilingStep(
        "Review and verify the edits",
        ("viewAllEdits", "verifyQualityEdits", "verifyMacroEdits"),
        (Status.VERIFIED,),
    ),
    FilingStep("Certify and sign", ("signASubmission",), (Status.SIGNED,)),
    FilingStep("Save the receipt", ("downloadTheSignedReceipt",)),
    FilingStep("Check the receipt", ("checkAReceiptOrAFiledFile",)),
)
CORRECTED = (Status.PARSED_WITH_ERRORS, Status.SYNTACTICAL_OR_VALIDITY_ERRORS)
_FOLLOWED, _CREATED = 3, 1  # where a correction begins, and where it leads


@dataclass(frozen=True, slots=True)
class StepBox:
    """A step with its place in the picture; bottom: where it ends, below: where the next begins."""

    number: int
    title: str
    lines: tuple[str, ...]
    statuses: str
    top: int

    @property
    def height(self) -> int:
        return _TITLE_HEIGHT + _LINE_HEIGHT * len(self.lines) + _PADDING

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def below(self) -> int:
        return self.bottom + _GAP

    @property
    def middle(self) -> int:
        return self.top + self.height // 2

    @property
    def texts(self) -> list[tuple[int, str]]:
        """The calls, each with its base line."""
        first = self.top + _TITLE_HEIGHT + _LINE_HEIGHT - 4
        return [(first + _LINE_HEIGHT * at, line) for at, line in enumerate(self.lines)]


def draw_call_order() -> SafeString:
    """Return the picture as SVG, with its text alternative."""
    boxes = list(_boxes())
    return render_to_string(
        "guide/call_order.html",
        {
            "boxes": boxes,
            "arrows": boxes[:-1],
            "width": WIDTH,
            "height": boxes[-1].bottom + _TOP,
            "box_width": _BOX_WIDTH,
            "left": _LEFT,
            "right": _LEFT + _BOX_WIDTH,
            "center": _LEFT + _BOX_WIDTH // 2,
            "returns": _RETURN,
            "followed": boxes[_FOLLOWED],
            "created": boxes[_CREATED],
            "corrected": _codes(CORRECTED),
        },
    )


def _boxes() -> list[StepBox]:
    """Return the boxes from the top down: of steps with calls that this site has."""
    paths = _paths()
    boxes: list[StepBox] = []
    top = _TOP
    for step in STEPS:
        lines = tuple(paths[name] for name in step.calls if name in paths)
        if lines:
            number = len(boxes) + 1
            boxes.append(StepBox(number, step.title, lines, _codes(step.leads_on), top))
            top = boxes[-1].below
    return boxes


def _codes(statuses: tuple[Status, ...]) -> str:
    return " or ".join(str(status.value) for status in statuses)


def _paths() -> dict[str, str]:
    """Return method and path of every call; what all calls of a filing begin with is left out."""
    return {
        each["id"]: f"{each['method']} {api_calls.shorten_path(each['path'])}"
        for each in api_calls.list_operations()
    }

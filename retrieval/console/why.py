"""The way of one note through a lookup."""

from retrieval.console.page import Page
from retrieval.why.types import Absence, StageState

_STYLES: dict[StageState, str] = {
    "passed": "green",
    "missed": "yellow",
    "lost": "bold red",
    "skipped": "dim",
    "not_reached": "dim",
}


def show_absence(absence: Absence, page: Page) -> None:
    """Write the headline, one line for each stage, and what would bring the note in."""
    page.line((absence.headline, "bold"))
    for warning in absence.result.warnings:
        page.line(("Warning: ", "yellow"), f"{warning.message} {warning.next_action}", hang=2)
    page.blank()
    for stage in absence.stages:
        state = stage.state.replace("_", " ")
        text = "" if stage.state == "not_reached" else f"  {stage.text}"
        page.line(
            f"{stage.name.replace('_', ' '):<14}  ",
            (f"{state:<11}", _STYLES[stage.state]),
            text,
            indent=2,
            hang=29,
        )
    if absence.remedies:
        page.heading("Tried", ":")
    for remedy in absence.remedies:
        page.line(remedy.text, indent=2, hang=2)

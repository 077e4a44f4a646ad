"""The way of one note through a lookup: each stage passed, missed or lost, and what would help."""

from markupsafe import Markup

from retrieval.why import Absence, Stage
from workbench.presenters.markup import joined, tag

_NAMES = {
    "file": "File",
    "index": "Index",
    "caller_filter": "Your filters",
    "l0": "L0 match",
    "derived_filter": "Derived filter",
    "l1": "L1 ranking",
    "min_score": "Least score",
    "top_k": "Top k",
    "budget": "Budget",
}
_MARKS = {"passed": "✓", "missed": "○", "lost": "✕", "skipped": "–", "not_reached": "–"}


def present_absence(absence: Absence) -> Markup:
    """The headline, the stages that had something to do with the note, and what was tried."""
    shown = [s for s in absence.stages if s.state in ("passed", "missed", "lost")]
    parts = [
        tag("p", absence.headline, css="kw-strong"),
        tag("ul", joined([_stage(stage) for stage in shown]), css="kw-stages"),
    ]
    if absence.remedies:
        parts.append(tag("div", "What would change it", css="kw-label"))
        parts.append(
            tag(
                "ul",
                joined(
                    [
                        tag(
                            "li",
                            tag("i", "✓" if remedy.helps else "✕"),
                            tag("span", remedy.text),
                            css="passed" if remedy.helps else "missed",
                        )
                        for remedy in absence.remedies
                    ]
                ),
                css="kw-stages",
            )
        )
    return joined(parts)


def _stage(stage: Stage) -> Markup:
    text = tag("span", tag("b", _NAMES[stage.name]), " ", stage.text)
    return tag("li", tag("i", _MARKS[stage.state]), text, css=stage.state)

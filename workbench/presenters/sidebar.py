"""The margin: which knowledge base, how its index is, and the fingerprint of what answers."""

from pathlib import Path

from markupsafe import Markup

from retrieval.types import Fingerprint
from workbench.presenters.markup import joined, tag
from workbench.presenters.numbers import DASH, counted
from workbench.services.health import IndexHealth

_TONES = {"ready": "good", "stale": "warn", "missing": "warn", "unusable": "bad"}


def present_sidebar(
    root: Path, notes: int, health: IndexHealth, mark: Fingerprint, *, read_only: bool
) -> Markup:
    """Name, notes, health and fingerprint; equal fingerprints mean equal answers."""
    rows = [("config", mark.config), ("index", mark.index), ("embedding", mark.embedding)]
    facts = [
        tag("div", tag("span", name), tag("code", value or DASH), css="kw-fact")
        for name, value in rows
    ]
    # The folder may hold more or fewer while the index is stale.
    where = " in the index" if health.state == "stale" else ""
    parts = [
        tag("div", _name(root), css="kw-base", title=str(root)),
        tag("div", counted(notes, "note") + where, css="kw-muted"),
        tag("div", tag("i"), health.short, css=f"kw-health {_TONES[health.state]}"),
        tag(
            "div",
            tag("div", "Fingerprint", css="kw-label"),
            joined(facts),
            css="kw-facts",
            title="Settings, notes and model that answers come from, here as for an agent",
        ),
    ]
    if read_only:
        parts.append(tag("div", "Read-only", css="kw-muted"))
    return tag("div", joined(parts), css="kw-sidebar")


def _name(root: Path) -> str:
    """The folder's name, with the one above where the name says little."""
    return (
        f"{root.parent.name}/{root.name}"
        if root.name in ("docs", "knowledge", "notes")
        else (root.name or str(root))
    )

"""Short ways to write cases, rows and labelled sets on disk."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eval_sets.types import Case, Ranked, Row
from retrieval.types import FilterDecision, Layer, Level, Relevance

NOTES = {
    "billing/refund.md": "---\ntitle: Refund window\nkeywords: [refund]\n---\nThirty days.\n",
    "billing/invoice.md": "# Invoices\n\nSent monthly.\n",
    "access/token.md": "---\ntitle: Login tokens\ncategory: Access\n---\nEight hours.\n",
}


def case(identifier: str = "q1", **fields: Any) -> Case:
    """A case whose query is its id, unless said otherwise."""
    return Case(**{"id": identifier, "query": f"query {identifier}", **fields})


def block(source: str, layer: Layer = "L1", **fields: Any) -> Ranked:
    """A block without cosine."""
    return Ranked(**{"source": source, "rank_score": 1.0, "score": None, "layer": layer, **fields})


def row(identifier: str = "q1", *sources: str | Ranked, **fields: Any) -> Row:
    """An evaluated row with these blocks in order."""
    ranking = tuple(block(s) if isinstance(s, str) else s for s in sources)
    status = "evaluated" if ranking else "zero_result"
    given = {"case_id": identifier, "variant": "v", "status": status, "ranking": ranking}
    return Row(**{**given, **fields})


def failed(identifier: str = "q1") -> Row:
    """A row whose lookup crashed."""
    return Row(case_id=identifier, variant="v", status="failed")


def by_id(*cases: Case) -> dict[str, Case]:
    """The cases as the metrics take them."""
    return {case.id: case for case in cases}


def filtered(category: str | None) -> FilterDecision:
    """A decision that L0 made in automatic mode."""
    return FilterDecision(mode="auto", category=category)


def relevance(confidence: float, level: Level = "weak", *, supported: bool = False) -> Relevance:
    """An uncalibrated assessment."""
    return Relevance(
        level=level,
        confidence=confidence,
        calibrated=False,
        semantic_support=supported,
        reason="",
    )


def write_set(
    folder: Path,
    lines: Iterable[str | Mapping[str, Any]],
    *,
    about: str = "name: small\n",
    notes: Mapping[str, str] = NOTES,
) -> Path:
    """A labelled set on disk; a line that is no text is written as JSON."""
    for source, text in notes.items():
        path = folder / "knowledge" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "set.yaml").write_text(about, encoding="utf-8")
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "cases.jsonl").write_text("\n".join(written) + "\n", encoding="utf-8")
    return folder

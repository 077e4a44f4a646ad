"""Small hand-made values for tests of pure functions."""

from retrieval.types import Candidate, Entry, Passage


def passage(source: str, ordinal: int = 0, text: str = "text", *, heading: str = "H") -> Passage:
    line = 1 + 10 * ordinal
    return Passage(
        id=f"{source}#{ordinal}",
        source=source,
        ordinal=ordinal,
        breadcrumb=(heading,),
        text=text,
        line_start=line,
        line_end=line + 9,
    )


def entry(source: str, title: str | None = None, *texts: str, **fields: object) -> Entry:
    """A note with one passage for each text."""
    title = title or source
    passages = tuple(
        passage(source, i, text, heading=title) for i, text in enumerate(texts or ("body",))
    )
    for name in ("keywords", "categories", "entities", "derived_entities"):
        fields[name] = tuple(fields.get(name, ()))  # type: ignore[arg-type]
    return Entry(source=source, title=title, passages=passages, **fields)  # type: ignore[arg-type]


def candidate(passage_id: str, score: float = 1.0, **fields: object) -> Candidate:
    source = passage_id.split("#", maxsplit=1)[0]
    return Candidate(passage_id=passage_id, source=source, score=score, **fields)  # type: ignore[arg-type]

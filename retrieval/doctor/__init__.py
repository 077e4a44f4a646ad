"""What is well with a knowledge base and what needs doing. Looks, and changes nothing."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from retrieval.doctor.check import Check, Status
from retrieval.settings import Location, LookupSettings

__all__ = ["Check", "Status", "examine"]

Question: TypeAlias = Callable[[LookupSettings, Location], Iterable[Check]]


def examine(kb: Path | None = None) -> tuple[Check, ...]:
    """One row or more for each part, in the order in which a lookup needs them; never raises.

    Without `kb` the default knowledge base. Where the settings cannot be read, the parts that
    depend on them are `not checked`.
    """
    from retrieval.bundled import default_knowledge
    from retrieval.doctor import environment, index, notes, records
    from retrieval.settings import load_settings

    loaded: list[tuple[LookupSettings, Location]] = []

    def read_settings() -> Iterable[Check]:
        loaded.append(load_settings(kb or default_knowledge(Path.cwd())))
        yield notes.describe_settings(loaded[0][1])

    rows = [*environment.check_versions(), *_ask("settings", read_settings)]
    questions: tuple[tuple[str, Question], ...] = (
        ("notes", notes.check_notes),
        ("state folder", notes.check_state),
        ("embedder", index.check_embedder),
        ("index", index.check_index),
        ("index writer", index.check_writer),
        ("Chroma server", index.check_server),
        ("records", records.check_records),
        ("spool", records.check_spool),
    )
    for name, question in questions:
        if not loaded:
            detail = "The settings cannot be read."
            rows.append(Check(name=name, status="not checked", detail=detail))
            continue
        settings, location = loaded[0]
        rows += _ask(name, lambda ask=question, s=settings, at=location: ask(s, at))  # type: ignore[misc]
    return (*rows, *environment.check_extras())


def _ask(name: str, question: Callable[[], Iterable[Check]]) -> list[Check]:
    """The rows of one question; what it raises becomes a row."""
    from retrieval.errors import RetrievalError

    try:
        return list(question())
    except RetrievalError as error:
        status: Status = "problem"
        return [
            Check(name=name, status=status, detail=error.message, next_action=error.next_action)
        ]
    # A row as in the harness: what a check raises is its finding.
    except Exception as error:  # noqa: BLE001 - one check that breaks must not hide the others
        detail = f"This check failed: {type(error).__name__}: {error}"
        action = "Read the message; the part it names is probably damaged."
        return [Check(name=name, status="problem", detail=detail, next_action=action)]

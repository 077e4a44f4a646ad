"""Why a note is not in an answer."""

from retrieval.knowledge import scan
from retrieval.knowledge_base import KnowledgeBase
from retrieval.why import Absence, explain_absence
from workbench.services.lookups import LookupChoice, titles_of


def askable_notes(base: KnowledgeBase) -> dict[str, str]:
    """Source → title of all that one may ask about: the notes, and files that are none.

    A file that could not be read, or is not indexed yet, has its source as its title.
    """
    files = {source: source for source in scan(base.location.root, base.settings.knowledge)}
    return dict(sorted({**files, **titles_of(base)}.items()))


def follow_note(base: KnowledgeBase, query: str, choice: LookupChoice, source: str) -> Absence:
    """The way of one note through the lookup. Raises as `explain_absence`; records nothing."""
    return explain_absence(base, query, source, **choice.arguments())

"""Why a note is not in the answer."""

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from workbench.state.query import QueryState


def draw_absence(base: KnowledgeBase, page: QueryState, result: LookupResult) -> None:
    """Draws nothing yet."""

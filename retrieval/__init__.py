"""Evidence from a folder of markdown notes: keyword hints (L0) and semantic retrieval (L1).

    >>> from retrieval import KnowledgeBase
    >>> kb = KnowledgeBase.open("notes")                                   # doctest: +SKIP
    >>> kb.lookup("How do I rotate an API key?").primary.source            # doctest: +SKIP

Importing this package is cheap: what a name needs is loaded when the name is first used.
"""

from typing import TYPE_CHECKING

from retrieval.lazy_names import load_on_use as _load_on_use

if TYPE_CHECKING:
    from retrieval.errors import RetrievalError
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.settings import LookupSettings
    from retrieval.tools.lookup import alookup_knowledge, lookup_knowledge
    from retrieval.types import EvidenceBlock, LookupResult

__version__ = "0.1.0"

_HOMES = {
    "EvidenceBlock": "retrieval.types",
    "KnowledgeBase": "retrieval.knowledge_base",
    "LookupResult": "retrieval.types",
    "LookupSettings": "retrieval.settings",
    "RetrievalError": "retrieval.errors",
    "alookup_knowledge": "retrieval.tools.lookup",
    "lookup_knowledge": "retrieval.tools.lookup",
}

__all__ = [
    "EvidenceBlock",
    "KnowledgeBase",
    "LookupResult",
    "LookupSettings",
    "RetrievalError",
    "alookup_knowledge",
    "lookup_knowledge",
]

__getattr__ = _load_on_use(__name__, _HOMES)

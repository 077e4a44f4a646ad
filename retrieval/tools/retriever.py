"""The lookup as a LlamaIndex retriever: one node for each evidence block."""

import asyncio
from typing import Unpack

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from retrieval.knowledge_base import KnowledgeBase
from retrieval.options import ScopedOptions
from retrieval.types import EvidenceBlock


class KnowledgeRetriever(BaseRetriever):
    """Retrieves evidence blocks as nodes, best first, for a query engine or any other user.

    A node's id is the block's source, its text the content, its metadata `source`, `title`,
    `breadcrumb`, `retrieval_layer`, `outcome` and `hit_reasons`; none of these is given to an
    embedder. Its score is the cosine of the best passage, None where no vector was compared. An
    empty list when nothing was found or the query is blank.

    `options` are those of `KnowledgeBase.lookup`, whose errors it raises.
    """

    def __init__(self, knowledge_base: KnowledgeBase, **options: Unpack[ScopedOptions]) -> None:
        super().__init__()
        self._knowledge_base = knowledge_base
        self._options = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        result = self._knowledge_base.lookup(query_bundle.query_str, **self._options)
        return [_node(block, result.outcome) for block in result.evidence_blocks]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(block: EvidenceBlock, outcome: str) -> NodeWithScore:
    metadata = {
        "source": block.source,
        "title": block.title,
        "breadcrumb": " > ".join(block.breadcrumb),
        "retrieval_layer": block.retrieval_layer,
        "outcome": outcome,
        "hit_reasons": "; ".join(reason.text for reason in block.hit_reasons),
    }
    node = TextNode(
        id_=block.source,
        text=block.content,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=["outcome", "hit_reasons"],
    )
    return NodeWithScore(node=node, score=block.score)

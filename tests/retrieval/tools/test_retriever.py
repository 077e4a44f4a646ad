"""The LlamaIndex retriever, in a real query engine with LlamaIndex's own mock model."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever

from retrieval import KnowledgeBase
from retrieval.errors import UnknownFilter
from tests.notes import write_notes


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    root: Path = write_notes(tmp_path_factory.mktemp("notes"))
    settings = {
        "state_dir": str(tmp_path_factory.mktemp("state")),
        "embedding": {"model": "hash:64"},
    }
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        yield base


def test_nodes_are_the_evidence_blocks_of_the_same_lookup(kb: KnowledgeBase) -> None:
    retriever = kb.as_retriever(top_k=3)
    assert isinstance(retriever, BaseRetriever)
    nodes = retriever.retrieve("when does a chargeback start")
    blocks = kb.lookup("when does a chargeback start", top_k=3).evidence_blocks
    assert [(n.node_id, n.text, n.score) for n in nodes] == [
        (b.source, b.content, b.score) for b in blocks
    ]
    assert nodes[0].metadata["retrieval_layer"] == "L0+L1"
    assert "chargeback" in nodes[0].metadata["hit_reasons"]


def test_it_serves_a_query_engine(kb: KnowledgeBase) -> None:
    engine = RetrieverQueryEngine.from_args(kb.as_retriever(top_k=2), llm=MockLLM())
    response = engine.query("when does a chargeback start")
    assert response.source_nodes[0].node_id == "billing/chargeback.md"
    assert "disputes a payment" in str(response)


def test_it_answers_asynchronously(kb: KnowledgeBase) -> None:
    nodes = asyncio.run(kb.as_retriever().aretrieve("shuttle"))
    assert nodes[0].node_id == "travel/shuttle.md"


def test_a_blank_query_gives_nothing_and_a_wrong_option_raises(kb: KnowledgeBase) -> None:
    assert kb.as_retriever().retrieve(" ?") == []
    with pytest.raises(UnknownFilter):
        kb.as_retriever(filters={"categry": "x"}).retrieve("shuttle")

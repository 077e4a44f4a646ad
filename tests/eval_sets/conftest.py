"""One small indexed set and one report of it, for all tests that only read."""

from collections.abc import Iterator

import pytest

from eval_sets.harness import run
from eval_sets.results import Report
from eval_sets.types import EvalSet
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import indexed, labelled


@pytest.fixture(scope="package")
def small(tmp_path_factory: pytest.TempPathFactory) -> EvalSet:
    return labelled(tmp_path_factory.mktemp("set"))


@pytest.fixture(scope="package")
def base(small: EvalSet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The knowledge base of `small`, indexed."""
    with indexed(small, tmp_path_factory.mktemp("state")) as opened:
        yield opened


@pytest.fixture(scope="package")
def report(small: EvalSet, base: KnowledgeBase) -> Report:
    return run(small, base, ["l0", "l1", "l0+l1"], resamples=500, cache=False)

"""The first query, whose index cannot be built: words answer, and the answer says why."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval.cli.program import main
from retrieval.semantic.locking import writer_lock
from tests.faults import embedder
from tests.faults.site import QUERY, RIGHT, Site
from tests.notes import write_notes


@pytest.fixture(autouse=True)
def _model() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        embedder.install(patch)
        yield


def write_site(folder: Path, model: str = embedder.MODEL) -> Site:
    write_notes(folder / "notes")
    config = f'root = "notes"\n[embedding]\nmodel = "{model}"\n'
    (folder / "knowledge.toml").write_text(config, encoding="utf-8")
    return Site(folder)


def ask(site: Site, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["query", QUERY, "--kb", str(site.folder), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def check_words_answer(site: Site, answer: dict[str, Any], code: str) -> None:
    assert (answer["outcome"], answer["retrieval_layer"]) == ("fallback", "L0")
    assert answer["primary"]["source"] == RIGHT
    assert answer["relevance"]["semantic_support"] is False
    assert {warning["code"] for warning in answer["warnings"]} == {"index_missing", code}
    place, details = site.where_is(answer["invocation_id"])
    assert place == "database"
    assert details["l0_hints"]["titles"]


@pytest.mark.parametrize(
    "behaviour", [embedder.fail, embedder.give_nan], ids=["raises", "gives-nan"]
)
def test_a_model_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], behaviour: embedder.Behaviour
) -> None:
    site = write_site(tmp_path)
    with embedder.behave(behaviour):
        check_words_answer(site, ask(site, capsys), "embedding_error")
        assert main(["index", "--kb", str(site.folder)]) == 1
        said = " ".join(capsys.readouterr().err.split())
        assert "The embedding model 'ollama:bag-of-words'" in said
    healthy = ask(site, capsys)
    assert (healthy["outcome"], healthy["retrieval_layer"]) == ("evidence", "L0+L1")


def test_a_model_whose_package_is_not_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = write_site(tmp_path, "fastembed:nothing")
    check_words_answer(site, ask(site, capsys), "missing_extra")


def test_another_process_that_writes_the_index(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = write_site(tmp_path)
    with writer_lock(site.state):
        check_words_answer(site, ask(site, capsys), "index_locked")

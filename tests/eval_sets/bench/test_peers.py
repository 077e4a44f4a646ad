"""Each tool finds a note by its words, through its own hook for an embedder."""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from eval_sets.bench.child import BenchFailed, measure_apart
from eval_sets.bench.model import open_model
from eval_sets.bench.notes import read_notes
from eval_sets.bench.parts.indexing import absent_row, choose_peers
from eval_sets.bench.peers import OURS, PEERS, find_missing
from eval_sets.bench.tasks.indexing import read_share, warmed_up

NOTES = {
    "billing/refund.md": "# Refunds\n\nA refund is paid back within thirty days of the purchase.\n",
    "access/badge.md": "# Lost badge\n\nWho loses a door badge reports it at the reception.\n",
    "network/guest.md": "# Guest network\n\nVisitors use the wireless network named Lobby.\n",
}
QUERIES = ["money back after a purchase", "lost door badge", "wireless for visitors"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peers")
    for source, text in NOTES.items():
        path = folder / "kb" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("key", [OURS, *(key for key in PEERS if key != "llama-index-our-model")])
def test_a_tool_ranks_the_note_that_a_query_is_about_first(folder: Path, key: str) -> None:
    if key in PEERS and (missing := find_missing(PEERS[key])):
        row = absent_row(key, choose_peers((key,))[1][key])
        assert all(name in row["not_run"] for name in missing)
        assert row["not_run"].endswith(f"pip install {' '.join(PEERS[key].packages)}")
        return
    notes = read_notes(folder / "kb")
    tool = warmed_up(key, folder / key)
    tool.index(folder / "kb", notes)
    assert [tool.search(query, 3)[0] for query in QUERIES] == list(NOTES)
    chunks = tool.chunks()
    tool.close()
    if key != "bm25s":
        assert {source for source, _ in chunks} == set(NOTES)
        assert read_share(notes, chunks, cut=key != OURS) == 1


def test_the_peers_of_the_extra_are_those_that_are_installed_together() -> None:
    installed, absent = choose_peers(())
    assert set(installed) | set(absent) == set(PEERS)
    assert "llama-index" in installed
    assert version("chromadb")


def test_the_plain_model_gives_the_vectors_of_ours() -> None:
    texts = ["one short text", " ".join(["many words of a longer text"] * 90), "another"]
    plain, ours = open_model("file")(texts), open_model("ours")(texts)
    assert plain.shape == (3, 384)
    assert np.linalg.norm(plain, axis=1) == pytest.approx(1, abs=1e-5)
    assert (plain * ours).sum(axis=1).min() > 0.97


def test_a_measurement_that_breaks_off_says_why(tmp_path: Path) -> None:
    given = {"peer": OURS, "root": str(tmp_path), "notes": str(tmp_path / "no.json"), "folder": "x"}
    with pytest.raises(BenchFailed, match=r"'index' failed: FileNotFoundError.*no\.json"):
        measure_apart("index", given)

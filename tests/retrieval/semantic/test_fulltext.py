import math
from pathlib import Path

import bm25s
import numpy as np
import pytest

from retrieval.errors import IndexDamaged
from retrieval.semantic.fulltext import K1, B, FullText, write_fulltext
from retrieval.text import content_words
from retrieval.types import Entry, Passage


def note(source: str, *texts: str, **fields: tuple[str, ...]) -> Entry:
    passages = tuple(
        Passage(
            id=f"{source}#{i}",
            source=source,
            ordinal=i,
            breadcrumb=(),
            text=text,
            line_start=1,
            line_end=1,
        )
        for i, text in enumerate(texts)
    )
    return Entry(source=source, title=source.removesuffix(".md"), passages=passages, **fields)  # type: ignore[arg-type]


NOTES = [
    note("alpha.md", "rotate the api key", "revoke old keys", keywords=("secret",)),
    note("beta.md", "refund the card", entities=("SEPA",)),
    note("gamma.md", "密钥轮换 rotates daily"),
]


def written(folder: Path, notes: list[Entry]) -> FullText:
    write_fulltext(folder, notes)
    return FullText.open(folder)


def test_scores_stand_at_the_positions_of_passages_and_notes(tmp_path: Path) -> None:
    text = written(tmp_path / "f", NOTES)
    assert text.passage_ids == ("alpha.md#0", "alpha.md#1", "beta.md#0", "gamma.md#0")
    assert text.sources == ("alpha.md", "beta.md", "gamma.md")
    scores = text.score_passages(content_words("how do I rotate a key?"))
    assert scores.dtype == np.float32
    assert scores[0] > scores[1] > 0
    assert scores[2] == 0
    assert scores[3] > 0
    assert text.score_entries(content_words("secrets")).tolist()[1:] == [0, 0]
    assert text.score_entries(content_words("SEPA"))[1] > 0
    assert text.score_passages(content_words("SEPA")).tolist() == [0, 0, 0, 0]
    assert text.score_passages(content_words("密钥"))[3] > 0


def test_scores_follow_the_formula(tmp_path: Path) -> None:
    text = written(tmp_path / "f", NOTES)
    # `card` stands once in one of four passages; 4, 4, 3 and 6 words with titles (密钥 is a pair).
    lengths = [len(text.texts[0][i]) for i in range(4)]
    norm = K1 * (1 - B + B * lengths[2] / (sum(lengths) / 4))
    expected = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5)) / (1 + norm)
    assert float(text.score_passages(["card"])[2]) == pytest.approx(expected, rel=1e-5)


def test_scores_are_those_that_bm25s_computes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    words = np.array([f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(90)])
    texts = [" ".join(rng.choice(words, size)) for size in rng.integers(1, 60, 80)]
    notes = [note(f"n{n:02d}.md", *texts[n : n + 2]) for n in range(0, 80, 2)]
    text = written(tmp_path / "f", notes)
    model = bm25s.BM25(k1=K1, b=B, method="lucene")
    passages, _ = text.texts
    corpus = [passages[position].tolist() for position in range(len(passages))]
    known = {number: number for number in range(len(text.words))}
    model.index((corpus, known), create_empty_token=False, show_progress=False)
    for _ in range(20):
        query = content_words(" ".join(rng.choice(words, 5)))
        expected = model.get_scores_from_ids(
            [text.words.index(w) for w in query if w in text.words]
        )
        np.testing.assert_allclose(text.score_passages(query), expected, rtol=1e-5)


def test_unknown_words_and_no_words_score_zero(tmp_path: Path) -> None:
    text = written(tmp_path / "f", NOTES)
    for words in ([], ["zebra"]):
        assert text.score_passages(words).tolist() == [0, 0, 0, 0]
        assert text.score_entries(words).tolist() == [0, 0, 0]
    known = text.score_passages(["card"])
    np.testing.assert_array_equal(text.score_passages(["zebra", "card"]), known)


def test_the_terms_of_a_passage_are_told_in_query_order(tmp_path: Path) -> None:
    text = written(tmp_path / "f", NOTES)
    words = content_words("key, zebra, rotating, refund, keys")
    assert text.terms_in(["beta.md#0", "alpha.md#0"], words) == {
        "beta.md#0": ("refund",),
        "alpha.md#0": ("key", "rotat"),
    }
    assert text.terms_in(["beta.md#0"], ["zebra"]) == {"beta.md#0": ()}
    # A keyword is a word of the note, and of none of its passages.
    assert text.terms_in(["alpha.md#0"], content_words("secret")) == {"alpha.md#0": ()}
    assert text.terms_in([], words) == {}


@pytest.mark.parametrize("notes", [[], [note("?.md", "...", "!!")], [note("empty.md", "")]])
def test_nothing_to_read_is_no_error(tmp_path: Path, notes: list[Entry]) -> None:
    text = written(tmp_path / "f", notes)
    assert text.score_passages(["word"]).shape == (len(text.passage_ids),)
    assert not text.score_entries(["word"]).any()
    again = tmp_path / "g"
    write_fulltext(again, notes, before=text, unchanged={n.source for n in notes})
    assert FullText.open(again).sources == text.sources


def test_an_update_scores_like_a_new_index_and_forgets_words(tmp_path: Path) -> None:
    before = written(tmp_path / "before", NOTES)
    notes = [NOTES[0], note("beta.md", "refund by transfer"), note("delta.md", "a new key")]
    write_fulltext(tmp_path / "updated", notes, before=before, unchanged={"alpha.md"})
    updated, anew = FullText.open(tmp_path / "updated"), written(tmp_path / "anew", notes)
    assert updated.passage_ids == anew.passage_ids
    assert sorted(updated.words) == sorted(anew.words)
    assert "card" not in updated.words
    for query in ("rotate key", "refund transfer", "secret", "card"):
        words = content_words(query)
        np.testing.assert_array_equal(updated.score_passages(words), anew.score_passages(words))
        np.testing.assert_array_equal(updated.score_entries(words), anew.score_entries(words))


@pytest.mark.parametrize("name", ["names.json", "words.npz", "passages/data.csc.index.npy"])
def test_a_cut_or_missing_file_is_damage(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "f"
    written(folder, NOTES)
    path = folder / name
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IndexDamaged, match="cannot be read"):
        _ = FullText.open(folder).texts
    path.unlink()
    with pytest.raises(IndexDamaged, match="cannot be read"):
        _ = FullText.open(folder).texts


def test_a_lookup_does_without_the_words_that_a_re_index_reads(tmp_path: Path) -> None:
    written(tmp_path / "f", NOTES)
    (tmp_path / "f" / "words.npz").unlink()
    text = FullText.open(tmp_path / "f")
    assert text.score_passages(["card"])[2] > 0
    assert text.terms_in(["beta.md#0"], ["card"]) == {"beta.md#0": ("card",)}

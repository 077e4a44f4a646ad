"""BM25 over passages and over whole notes.

bm25s scores at index time: a query is a sum over a few sparse columns, and the statistics are those
of exactly the notes at hand. (An engine such as tantivy updates in place, but what was deleted
stays in its statistics until segments merge, so an updated index would score otherwise than one
built anew.) The words of each passage and note are kept as numbers, so that a re-index splits only
changed notes into words; the scores are then computed anew, which takes well under a second for
10,000 passages.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import orjson
from numpy.typing import NDArray

from retrieval.errors import IndexDamaged
from retrieval.semantic.generations import REBUILD
from retrieval.semantic.words import NO_RUNS, Ids, Vocabulary, WordRuns
from retrieval.types import Entry

K1 = 1.2
B = 0.75


class FullText:
    """BM25 of one index generation: the higher a score the better, 0 without a common word.

    A word that stands in the query twice counts twice. Method `lucene` of bm25s: Kamphuis et al.
    2020, "Which BM25 Do You Mean?".
    """

    def __init__(
        self,
        *,
        folder: Path,
        passage_ids: Sequence[str],
        sources: Sequence[str],
        words: Sequence[str],
        models: tuple[Any, Any],
    ) -> None:
        self._folder = folder
        self.passage_ids = tuple(passage_ids)
        """What each position of `score_passages` stands for."""
        self.sources = tuple(sources)
        """What each position of `score_entries` stands for."""
        self.words = list(words)
        self._number = {word: number for number, word in enumerate(self.words)}
        self._position = {pid: position for position, pid in enumerate(self.passage_ids)}
        self._passage_model, self._entry_model = models

    @classmethod
    def open(cls, folder: Path) -> "FullText":
        """What `write_fulltext` wrote. Raises `IndexDamaged` when a file is missing or cut."""
        try:
            names = orjson.loads((folder / "names.json").read_bytes())
            words = len(names["words"])
            return cls(
                folder=folder,
                **names,
                models=(
                    _load(folder / "passages", len(names["passage_ids"]), words),
                    _load(folder / "entries", len(names["sources"]), words),
                ),
            )
        except _DAMAGE as error:
            raise _unreadable(folder, error) from error

    @cached_property
    def texts(self) -> tuple[WordRuns, WordRuns]:
        """The words of each passage and of each note: what a re-index starts from, and no lookup
        reads. Raises `IndexDamaged` when they cannot be read."""
        try:
            with (self._folder / "words.npz").open("rb") as file, np.load(file) as arrays:
                return (
                    WordRuns(arrays["passage_words"], arrays["passage_ends"]),
                    WordRuns(arrays["entry_words"], arrays["entry_ends"]),
                )
        except _DAMAGE as error:
            raise _unreadable(self._folder, error) from error

    def score_passages(self, words: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every passage, in the order of `passage_ids`; `words` are `content_words`."""
        return self._score(self._passage_model, words, len(self.passage_ids))

    def score_entries(self, words: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every note, in the order of `sources`."""
        return self._score(self._entry_model, words, len(self.sources))

    def terms_in(
        self, passage_ids: Sequence[str], words: Sequence[str]
    ) -> dict[str, tuple[str, ...]]:
        """Those of the words that stand in each passage, without repeats, in their own order."""
        found: dict[str, list[str]] = {pid: [] for pid in passage_ids}
        positions = np.array([self._position[pid] for pid in found], dtype=np.intp)
        for word in dict.fromkeys(words):
            for pid, held in zip(found, self._holds(word, positions), strict=True):
                if held:
                    found[pid].append(word)
        return {pid: tuple(terms) for pid, terms in found.items()}

    def _holds(self, word: str, positions: NDArray[np.intp]) -> list[bool]:
        """Whether the word stands in the passages at these positions."""
        number = self._number.get(word)
        if number is None or self._passage_model is None:
            return [False] * len(positions)
        scores = self._passage_model.scores
        holders = scores["indices"][scores["indptr"][number] : scores["indptr"][number + 1]]
        if not len(holders):  # it stands in keywords only
            return [False] * len(positions)
        place = np.searchsorted(holders, positions)  # ascending: `_score_texts` sorts them
        held: list[bool] = (np.take(holders, place, mode="clip") == positions).tolist()
        return held

    def _score(self, model: Any, words: Sequence[str], size: int) -> NDArray[np.float32]:
        known = [self._number[word] for word in words if word in self._number]
        if model is None or not known:
            return np.zeros(size, dtype=np.float32)
        scores: NDArray[np.float32] = model.get_scores_from_ids(known)
        return scores


_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile)


def _unreadable(folder: Path, error: Exception) -> IndexDamaged:
    return IndexDamaged(f"The full text in {folder} cannot be read: {error}.", next_action=REBUILD)


def write_fulltext(
    folder: Path,
    entries: Sequence[Entry],
    *,
    before: FullText | None = None,
    unchanged: Collection[str] = (),
) -> None:
    """Writes the full text of the notes; the words of `unchanged` sources come from `before`."""
    from retrieval.knowledge import embedding_text

    vocabulary = Vocabulary(before.words if before else ())
    old_passages = before._position if before else {}
    old_entries = {source: i for i, source in enumerate(before.sources)} if before else {}
    passages_before, entries_before = before.texts if before else (NO_RUNS, NO_RUNS)
    passage_ids: list[str] = []
    passage_words: list[Ids] = []
    entry_words: list[Ids] = []
    for entry in entries:
        passage_ids.extend(passage.id for passage in entry.passages)
        if before and entry.source in unchanged:
            entry_words.append(entries_before[old_entries[entry.source]])
            passage_words.extend(passages_before[old_passages[p.id]] for p in entry.passages)
        else:
            entry_words.append(vocabulary.read(entry_text(entry)))
            passage_words.extend(
                vocabulary.read(embedding_text(entry.title, p)) for p in entry.passages
            )
    passages, notes = WordRuns.of(passage_words), WordRuns.of(entry_words)
    # Numbers without gaps, so that words of removed notes are forgotten.
    known = list(vocabulary.numbers)
    is_used = np.zeros(len(known), dtype=np.bool_)
    is_used[passages.words] = is_used[notes.words] = True
    used = np.flatnonzero(is_used)
    renumbered = np.cumsum(is_used, dtype=np.int32) - 1
    passages = WordRuns(renumbered[passages.words], passages.ends)
    notes = WordRuns(renumbered[notes.words], notes.ends)
    folder.mkdir(parents=True)
    names = {
        "passage_ids": passage_ids,
        "sources": [entry.source for entry in entries],
        "words": [known[number] for number in used.tolist()],
    }
    (folder / "names.json").write_bytes(orjson.dumps(names))
    np.savez(
        folder / "words.npz",
        passage_words=passages.words,
        passage_ends=passages.ends,
        entry_words=notes.words,
        entry_ends=notes.ends,
    )
    _save(folder / "passages", passages, len(used))
    _save(folder / "entries", notes, len(used))


def entry_text(entry: Entry) -> str:
    """The text that stands for the whole note in full text."""
    texts = (passage.text for passage in entry.passages)
    return "\n".join([entry.title, *entry.keywords, *entry.entities, *texts])


def _save(folder: Path, texts: WordRuns, words: int) -> None:
    if not len(texts.words):
        return  # nothing to score; bm25s does not take an empty corpus
    import bm25s

    model = bm25s.BM25(k1=K1, b=B, method="lucene")
    # What `model.index` computes text by text in Python, at once.
    model.scores = _score_texts(texts, words)
    model.nonoccurrence_array = None
    model.vocab_dict = {}  # names.json has the words once for both
    model.save(folder, show_progress=False)


def _score_texts(texts: WordRuns, words: int) -> dict[str, Any]:
    """BM25 of each word in each text that holds it, as sparse columns of words: bm25s's form."""
    number = len(texts)
    lengths = np.diff(texts.ends, prepend=0)
    # Sorted in place and shortened step by step: of 100,000 passages these are large.
    pairs = texts.words.astype(np.int64) * number
    pairs += np.repeat(np.arange(number, dtype=np.int32), lengths)
    pairs.sort()
    first = np.flatnonzero(np.diff(pairs, prepend=-1))
    counts = np.diff(first, append=len(pairs)).astype(np.int32)
    pairs = pairs[first]
    word, text = (pairs // number).astype(np.int32), (pairs % number).astype(np.int32)
    del pairs, first
    holding = np.bincount(word, minlength=words)
    rarity = np.log(1 + (number - holding + 0.5) / (holding + 0.5))
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    return {
        "data": (rarity[word] * counts / (norm[text] + counts)).astype(np.float32),
        "indices": text,
        "indptr": np.concatenate([[0], np.cumsum(holding)]).astype(np.int32),
        "num_docs": number,
    }


def _load(folder: Path, texts: int, words: int) -> Any:
    """The model over so many texts and words. Raises `ValueError` when its numbers are not that."""
    if not folder.is_dir():
        return None
    import bm25s

    model = bm25s.BM25.load(folder, load_vocab=False, show_progress=False)
    # bm25s adds data[indptr[word]:indptr[word + 1]] to the texts in `indices`, unchecked.
    data, indices, starts = (model.scores[name] for name in ("data", "indices", "indptr"))
    are_scores = bool(np.isfinite(data).all())
    are_texts = not len(indices) or (indices.min() >= 0 and indices.max() < texts)
    are_words = len(starts) >= words and starts[0] == 0 and bool((np.diff(starts) >= 0).all())
    if not (are_scores and are_texts and are_words and starts[-1] == len(data) == len(indices)):
        raise ValueError(f"the numbers in {folder.name} are damaged")
    return model

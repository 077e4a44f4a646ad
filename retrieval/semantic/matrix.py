"""The passage vectors of a generation in one array: exact answers to filtered requests.

Chroma's filtered request costs some ten times its unfiltered one. A product with the rows that the
filter admits takes less than that one, and leaves nothing out. The file is read into memory, not
mapped: what happens to a mapped file while it is read ends the process.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import IndexDamaged, IndexMismatch
from retrieval.semantic.filters import to_row
from retrieval.semantic.generations import REBUILD
from retrieval.semantic.ranking import rank_best
from retrieval.types import Entry

if TYPE_CHECKING:
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

MATRIX = "matrix.npy"
"""The file's name in a generation's folder."""
_UNIT = 1e-3  # a stored row's length differs at most by this from 1, or it is zero


class PassageMatrix:
    """A row for each passage, in the order of the notes and of their passages."""

    def __init__(
        self, vectors: NDArray[np.float32], entries: Sequence[Entry], slots: Mapping[str, int]
    ) -> None:
        """`vectors` has shape (passages, dimension); `slots` are those of the stored rows."""
        self._vectors = vectors
        self._present = vectors.any(axis=1)
        self._ids = [passage.id for entry in entries for passage in entry.passages]
        self._position = {pid: position for position, pid in enumerate(self._ids)}
        self._note_of = np.repeat(
            np.arange(len(entries), dtype=np.int32), [len(entry.passages) for entry in entries]
        )
        self._entries = entries
        self._slots = slots

    @classmethod
    def open(
        cls, path: Path, entries: Sequence[Entry], slots: Mapping[str, int]
    ) -> "PassageMatrix":
        """What `write_matrix` wrote for these notes. Raises `IndexDamaged` when it is not that."""
        try:
            with path.open("rb") as file:
                vectors = np.load(file)
        except (OSError, ValueError, EOFError) as error:
            raise IndexDamaged(
                f"The vectors in {path} cannot be read: {error}.", next_action=REBUILD
            ) from error
        passages = sum(len(entry.passages) for entry in entries)
        if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != passages:
            raise IndexDamaged(
                f"{path} does not hold {passages} vectors, one for each passage.",
                next_action=REBUILD,
            )
        with np.errstate(all="ignore"):  # what is no number, or too large, is of no unit length
            lengths = np.vecdot(vectors, vectors)
        if not np.all((abs(lengths - 1) < _UNIT) | (lengths == 0)):
            raise IndexDamaged(
                f"{path} holds a vector that is not of length 1.", next_action=REBUILD
            )
        return cls(vectors, entries, slots)

    def query(
        self, vector: NDArray[np.float32], limit: int, filters: "MetadataFilters"
    ) -> list[tuple[str, float]]:
        """(passage id, cosine) of the nearest passages that the filters admit, nearest first.

        Equal cosines stand in the order of the passages; a zero vector is near nothing. Raises
        `IndexMismatch` when the vector has another dimension.
        """
        rows = np.flatnonzero(self._admitted(filters)[self._note_of] & self._present)
        cosines = self._multiply(vector, rows)
        # Equal up to the noise of the arithmetic is equal.
        best = rank_best(np.round(cosines, 6), limit)
        return [
            (self._ids[row], cosine)
            for row, cosine in zip(rows[best].tolist(), cosines[best].tolist(), strict=True)
        ]

    def cosines(self, vector: NDArray[np.float32], ids: Iterable[str]) -> dict[str, float]:
        """The cosine of each of these passages that is stored."""
        known = {pid: self._position[pid] for pid in ids if pid in self._position}
        rows = np.fromiter(known.values(), dtype=np.intp, count=len(known))
        return dict(zip(known, self._multiply(vector, rows).tolist(), strict=True))

    def vectors(self, ids: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those passages that are stored."""
        return {pid: self._vectors[self._position[pid]] for pid in ids if pid in self._position}

    def _multiply(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        if len(vector) != self._vectors.shape[1] and len(rows):
            raise IndexMismatch(
                f"The index does not take a query of {len(vector)} dimensions: its vectors have "
                f"{self._vectors.shape[1]}.",
                next_action=REBUILD,
            )
        if not len(rows):
            return np.zeros(0, dtype=np.float32)
        unit = vector / (np.linalg.norm(vector) or 1.0)
        # Row by row, where `@` would start the threads of the BLAS library: with other work on the
        # machine those take 30 ms instead of 1. And equal rows get equal cosines.
        if 2 * len(rows) > len(self._vectors):
            products = np.vecdot(self._vectors, unit)[rows]
        else:
            products = np.vecdot(self._vectors[rows], unit)
        cosines: NDArray[np.float32] = np.clip(products, -1.0, 1.0)
        return cosines

    @cached_property
    def _holders(self) -> Mapping[str, Mapping[str, list[int]]]:
        """Key → value → positions of the notes whose row holds it."""
        holders: dict[str, defaultdict[str, list[int]]] = {}
        for position, entry in enumerate(self._entries):
            for key, value in to_row(entry, self._slots).items():
                holders.setdefault(key, defaultdict(list))[value].append(position)
        return holders

    def _admitted(self, filters: "MetadataFilters | MetadataFilter") -> NDArray[np.bool_]:
        """The notes that the filters admit, as a mask."""
        from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters

        if not isinstance(filters, MetadataFilters):
            return self._compared(filters)
        parts = [self._admitted(part) for part in filters.filters]
        either = filters.condition == FilterCondition.OR
        admitted: NDArray[np.bool_] = (np.any if either else np.all)(parts, axis=0)
        return admitted

    def _compared(self, part: "MetadataFilter") -> NDArray[np.bool_]:
        """The notes whose value of the key is (one of) the wanted; negated: all the others."""
        from llama_index.core.vector_stores.types import FilterOperator

        wanted = part.value if isinstance(part.value, list) else [part.value]
        holders = self._holders.get(part.key, {})
        found = [position for value in wanted for position in holders.get(str(value), ())]
        mask = np.zeros(len(self._entries), dtype=np.bool_)
        mask[found] = True
        if part.operator in (FilterOperator.EQ, FilterOperator.IN):
            return mask
        if part.operator in (FilterOperator.NE, FilterOperator.NIN):
            return ~mask
        raise ValueError(f"A filter with the operator '{part.operator.value}' is not made here.")


def write_matrix(
    path: Path, vectors: Sequence[NDArray[np.float32]], dimension: int | None
) -> NDArray[np.float32]:
    """Writes the vectors as one array, which it returns; `dimension` is that of an empty one."""
    shape = (len(vectors), dimension or 0)
    array = np.stack(vectors) if vectors else np.zeros(shape, dtype=np.float32)
    array = array.astype(np.float32, copy=False)
    with path.open("wb") as file:
        # `np.save` writes through the descriptor, and says of a full disk no error number.
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(file, header)
        file.write(np.ascontiguousarray(array).data)
    return array

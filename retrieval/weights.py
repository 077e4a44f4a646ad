"""What the parts of the ranking count. Chosen on real sets; see `retrieval/RANKING.md`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each signal in a note's rank score; every signal is 0..1.

    An ablation sets one of them to 0. They are no settings: what serves one set of notes is chosen
    on others, so there is one choice for all.
    """

    dense: float = 1.0
    """The cosine of the best passage."""
    passage: float = 0.3
    """BM25 of the best passage."""
    second: float = 0.2
    """BM25 of the second best one: two passages that speak of the query are better evidence."""
    entry: float = 0.5
    """BM25 of the whole note."""
    overlap: float = 0.8
    """Graded L0, for a query of at most `short_query` words."""
    short_query: float = 4.0
    """Words up to which a query may well be a title or a heading. In a longer one, which is a
    sentence, shared words say less: the weight of L0 falls with the number of words."""

    def overlap_for(self, query: str) -> float:
        """The weight of graded L0 for this query, by its words as written between blanks."""
        return self.overlap * min(1.0, self.short_query / max(len(query.split()), 1))


WEIGHTS = Weights()

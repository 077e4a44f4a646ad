"""The part of a report about the gate: what is worse than the baseline, and which queries moved."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from eval_sets.gate import Regression
from eval_sets.report.document import Block, Cell, Section, Table, Toned, columns
from eval_sets.report.wording import number, signed
from eval_sets.types import Case
from retrieval.types import Json

MOST_MOVES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What holding a report against a baseline found."""

    baseline: str
    """The file."""
    tolerance: float
    regressions: tuple[Regression, ...]

    @property
    def passed(self) -> bool:
        return not self.regressions

    def sentence(self) -> str:
        """How it ended."""
        count = len(self.regressions)
        if not count:
            return f"The gate passed: nothing is worse than {self.baseline}."
        return (
            f"The gate failed: {count} {'figure is' if count == 1 else 'figures are'} worse than "
            f"{self.baseline} or than the contract allows."
        )

    def to_dict(self) -> dict[str, Json]:
        """JSON-safe values."""
        return {
            "baseline": self.baseline,
            "tolerance": self.tolerance,
            "passed": self.passed,
            "regressions": [asdict(r) | {"sentence": r.sentence()} for r in self.regressions],
        }


def gating(gate: Gate | None, cases: Mapping[str, Case]) -> Section | None:
    """Every figure that is worse, and the queries that it comes from; None without a gate."""
    if gate is None:
        return None
    blocks: list[Block] = [
        Toned(text=gate.sentence(), tone="good" if gate.passed else "bad"),
        f"Falls of at most {gate.tolerance:g} are let through.",
    ]
    if gate.regressions:
        blocks.append(
            Table(
                columns=columns("variant", "figure", "stratum", "#before", "#now", "#change"),
                rows=tuple(
                    (
                        regression.variant,
                        regression.metric,
                        regression.stratum or "all",
                        number(regression.before),
                        number(regression.after),
                        Toned(text=signed(regression.after - regression.before), tone="bad"),
                    )
                    for regression in gate.regressions
                ),
            )
        )
        blocks += _moved(gate.regressions, cases)
    return Section(title="Gate", blocks=tuple(blocks))


def _moved(regressions: Iterable[Regression], cases: Mapping[str, Case]) -> Iterator[Block]:
    """Each query once a variant, under the first figure that names it."""
    found: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for regression in regressions:
        for move in regression.moved:
            found.setdefault(
                (regression.variant, move.case_id),
                (
                    move.case_id,
                    regression.variant,
                    regression.metric,
                    number(move.before),
                    number(move.after),
                    cases[move.case_id].query if move.case_id in cases else "",
                ),
            )
    if found:
        more = f" (the first {MOST_MOVES} of {len(found)})" if len(found) > MOST_MOVES else ""
        yield Table(
            title=f"Queries that moved{more}",
            columns=columns("query id", "variant", "figure", "#before", "#now", "~query"),
            rows=tuple(found.values())[:MOST_MOVES],
        )

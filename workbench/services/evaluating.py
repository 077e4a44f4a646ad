"""Runs of labelled sets as the Evaluate page asks for them: what may be chosen, and the run."""

from collections.abc import Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eval_sets.cli.arguments import split_variants
from eval_sets.harness import PROFILES, run
from eval_sets.labelling import SetSummary, list_sets, sets_folder
from eval_sets.labelling.places import copy_of, summarise
from eval_sets.loading import CASES_NAME, SET_NAME, load_set
from eval_sets.results import Report
from eval_sets.sets import bundled_sets
from eval_sets.types import EvalSet, Split, Variant
from eval_sets.variants import parse_variant
from retrieval.errors import IndexLocked, IndexMissing, InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eval_sets.asking import Progress

PRESETS = (
    "l0",
    "l1",
    "l0+l1",
    "l0+l1:filter=off",
    "l0+l1:filter=strict",
    "l0+l1:l1=dense",
    "l0+l1:l1=fulltext",
    "l0+l1:fault=l1-raises",
)
"""Variants to choose from; any other that `eval run` takes may be typed."""
DEFAULT_VARIANTS = ("l0", "l0+l1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run."""

    folder: Path
    """The folder of the set."""
    variants: tuple[Variant, ...]
    against: str
    """The variant that the others are compared with."""
    split: Split | None = None
    strata: tuple[str, ...] = ()
    """Only queries of these strata; empty for all."""
    faults: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A report, and what is needed to ask its queries again."""

    report: Report
    knowledge_base: Path
    notes: tuple[str, ...] = ()
    """What the reader should know about how the run was made."""


def offered_sets(base: KnowledgeBase) -> tuple[SetSummary, ...]:
    """The bundled sets, or the copies with judgements, and those of the knowledge base, by name."""
    found = {summary.folder: summary for summary in list_sets(base)}
    for folder in map(copy_of, bundled_sets().values()):
        if folder not in found:
            found[folder] = summarise(folder)
    return tuple(sorted(found.values(), key=lambda summary: summary.name))


def sets_state(base: KnowledgeBase) -> tuple[tuple[str, int, int], ...]:
    """Changes when a file of a set of this knowledge base does."""
    folder = sets_folder(base)
    files = sorted([*folder.glob(f"*/{SET_NAME}"), *folder.glob(f"*/{CASES_NAME}")])
    return tuple((str(path), *_stamp(path)) for path in files)


def folder_stamp(folder: Path) -> tuple[tuple[int, int], ...]:
    """Changes when the files of one set do."""
    return tuple(_stamp(folder / name) for name in (SET_NAME, CASES_NAME))


def open_set(folder: Path) -> EvalSet:
    """The set in a folder. Raises `InvalidInput` when there is none, `SetError` for a bad one."""
    if not (folder / SET_NAME).is_file():
        raise InvalidInput(
            f"There is no labelled set in {folder}: it has no {SET_NAME}.",
            next_action="Name the folder that holds set.yaml and cases.jsonl.",
        )
    return load_set(folder)


def read_variants(
    texts: Iterable[str], *, read_only: bool = False
) -> tuple[tuple[Variant, ...], tuple[InvalidInput, ...]]:
    """The variants of these texts, and an error for each text that is none.

    A text may list several with commas. With `read_only` a variant that needs an index of its own
    is an error.
    """
    variants: dict[str, Variant] = {}
    errors: list[InvalidInput] = []
    for text in texts:
        try:
            for written in split_variants(text):
                variant = parse_variant(written)
                if read_only and variant.settings.keys() & {"embedding", "knowledge"}:
                    raise InvalidInput(
                        f"The variant {variant.name!r} would build an index of its own.",
                        next_action="Start the workbench without --read-only for it.",
                    )
                variants.setdefault(variant.name, variant)
        except InvalidInput as error:
            errors.append(error)
    return tuple(variants.values()), tuple(errors)


def narrowed(eval_set: EvalSet, split: Split | None, strata: Sequence[str]) -> EvalSet:
    """The set with only the queries of the split and the strata; with all of them for no choice."""
    cases = eval_set.cases if split is None else eval_set.split(split)
    return replace(
        eval_set, cases=tuple(case for case in cases if not strata or case.stratum in strata)
    )


def planned_stages(plan: Plan) -> tuple[str, ...]:
    """What the harness will report progress of, in its order; stages without work are skipped."""
    both = [v for v in plan.variants if v.fault is None and _mode(v) == "l0+l1"]
    faults = [f"{both[0].name} under {fault}" for fault in PROFILES] if both and plan.faults else []
    twins = [f"{variant.name} without filter" for variant in both if not _unfiltered(variant)]
    return (*(variant.name for variant in plan.variants), *twins, *faults)


def evaluate(
    base: KnowledgeBase, plan: Plan, progress: "Progress", *, read_only: bool = False
) -> Evaluated:
    """Runs the plan as `eval run` does: index brought up to date, rows cached, same figures.

    Nothing is built with `read_only`. Raises `InvalidInput` without a query, and what the harness
    and the index raise.
    """
    whole = open_set(plan.folder)
    chosen = narrowed(whole, plan.split, plan.strata)
    if not chosen.cases:
        raise InvalidInput(
            "No query of the set is in this split and these strata.",
            next_action="Choose another split or other strata.",
        )
    with opened_base(base, whole.knowledge_base) as knowledge:
        notes = _prepare(knowledge, plan.variants, progress, read_only=read_only)
        report = run(
            chosen,
            knowledge,
            plan.variants,
            split=plan.split,
            baseline=plan.against,
            faults=PROFILES if plan.faults else (),
            progress=progress,
        )
    if plan.strata:
        notes = (*notes, f"Only these strata were asked: {', '.join(plan.strata)}.")
    return Evaluated(report=report, knowledge_base=whole.knowledge_base, notes=notes)


@contextmanager
def opened_base(base: KnowledgeBase, path: Path) -> "Iterator[KnowledgeBase]":
    """The knowledge base at `path`: `base` itself where it is that one, else closed on exit."""
    settings, location = load_settings(path)
    if location == base.location and settings == base.settings:
        yield base
        return
    same_model = settings.embedding == base.settings.embedding
    with KnowledgeBase(settings, location, embedder=base.embedder if same_model else None) as own:
        yield own


def _prepare(
    knowledge: KnowledgeBase, variants: Iterable[Variant], progress: "Progress", *, read_only: bool
) -> tuple[str, ...]:
    """Brings the index up to date where a variant asks L1; says so when it could not."""
    asks_l1 = any(_mode(variant) != "l0" for variant in variants)
    if not asks_l1 and not knowledge.has_index():
        return ()
    if read_only:
        if asks_l1 and not knowledge.has_index():
            raise IndexMissing(
                "The notes of this set have no index, and a read-only workbench builds none.",
                next_action="Run `lookup-knowledge index` for them, or choose l0 only.",
            )
        return ()
    try:
        knowledge.reindex(progress=progress)
    except IndexLocked as error:
        if not knowledge.has_index():
            raise
        return (f"{error.message} The index before it was measured.",)
    return ()


def _mode(variant: Variant) -> object:
    return _lookup(variant, "mode", "l0+l1")


def _unfiltered(variant: Variant) -> bool:
    return _lookup(variant, "filter_mode", "auto") == "off"


def _lookup(variant: Variant, key: str, default: str) -> object:
    section = variant.settings.get("lookup", {})
    return section.get(key, default) if isinstance(section, dict) else default


def _stamp(path: Path) -> tuple[int, int]:
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size
    return 0, 0

"""What to run: the set, the variants, and which of its queries."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from eval_sets.labelling import SetSummary
from eval_sets.types import EvalSet, Split, Variant
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from workbench.caching import folder_state, keep
from workbench.launch import Launch
from workbench.presenters.markup import plain_label, plain_option
from workbench.presenters.numbers import counted
from workbench.services.evaluating import (
    DEFAULT_VARIANTS,
    PRESETS,
    Plan,
    folder_stamp,
    narrowed,
    offered_sets,
    open_set,
    read_variants,
    sets_state,
)
from workbench.state import evaluate as names
from workbench.views.evaluate.running import is_running, start

_ANOTHER = "another folder …"
_SPLITS = ("all", "dev", "test")


def draw_form(base: KnowledgeBase, launch: Launch) -> None:
    """The choices, each with its error beside it, and the button that starts the run."""
    top = st.columns([2, 3], gap="medium")
    with top[0]:
        eval_set = _choose_set(base)
    with top[1]:
        variants, usable = _choose_variants(launch)
    rest = st.columns([3, 2, 2, 2], gap="medium", vertical_alignment="bottom")
    strata = eval_set.strata if eval_set else ()
    with rest[0]:
        chosen = _choose_strata(strata)
    split = rest[1].segmented_control(
        "Split",
        _SPLITS,
        default="all",
        required=True,
        key=names.SPLIT,
        persist_state="session",
        help="dev is for tuning, test for what is reported.",
    )
    against = rest[2].selectbox(
        "Compare with",
        [variant.name for variant in variants],
        format_func=plain_option,
        key=names.AGAINST,
        persist_state="session",
        help="The variant that the others are compared with.",
    )
    faults = rest[3].toggle(
        "Test the fallback",
        value=True,
        key=names.FAULTS,
        persist_state="session",
        help="Asks every query again under each fault of L1. Takes five more runs.",
    )
    asked = narrowed(eval_set, _split(split), chosen) if eval_set else None
    row = st.container(horizontal=True, vertical_alignment="center")
    ready = bool(asked and asked.cases and variants and usable and against)
    plan = None
    if ready and eval_set is not None and against is not None:
        plan = Plan(
            folder=eval_set.folder,
            variants=variants,
            against=against,
            split=_split(split),
            strata=tuple(chosen),
            faults=faults,
        )
    row.button(
        "Run",
        key=names.RUN,
        type="primary",
        icon=":material/play_arrow:",
        disabled=plan is None or is_running(),
        on_click=lambda: start(base, plan, read_only=launch.read_only) if plan else None,
    )
    row.caption(_size(asked, variants))


def _choose_set(base: KnowledgeBase) -> EvalSet | None:
    offered = keep(
        base,
        "evaluate.sets",
        lambda: offered_sets(base),
        state=f"{folder_state(base)} {sets_state(base)}",
    )
    by_name = {str(found.folder): found for found in offered}
    picked = st.selectbox(
        "Labelled set",
        [*by_name, _ANOTHER],
        format_func=lambda key: _set_label(by_name.get(key)),
        key=names.SET,
        persist_state="session",
    )
    folder: Path | None = by_name[picked].folder if picked in by_name else None
    if folder is None:
        typed = st.text_input(
            "Folder of the set",
            key=names.FOLDER,
            persist_state="session",
            placeholder="folder with set.yaml and cases.jsonl",
        )
        if not typed.strip():
            return None
        folder = Path(typed.strip()).expanduser()
    try:
        return keep(
            base,
            "evaluate.set",
            lambda: open_set(folder),
            str(folder),
            state=f"{folder_state(base)} {folder_stamp(folder)}",
        )
    except InvalidInput as error:
        _complain(error)
        return None


def _choose_variants(launch: Launch) -> tuple[tuple[Variant, ...], bool]:
    """The usable variants, and whether all that were named are."""
    texts = st.multiselect(
        "Variants",
        PRESETS,
        default=DEFAULT_VARIANTS,
        accept_new_options=True,
        key=names.VARIANTS,
        persist_state="session",
        placeholder="Choose, or type one",
        help="Type any other: a layer, then settings after a colon. Settings: filter, l1, top_k, "
        "min_score, relax_margin, semantic_floor, fault. Or a file: name=settings.toml.",
    )
    variants, errors = read_variants(texts, read_only=launch.read_only)
    for error in errors:
        _complain(error)
    if not texts:
        st.caption("Choose at least one variant.")
    return variants, not errors


def _choose_strata(strata: Sequence[str]) -> list[str]:
    """Strata that are still in the set; a choice for another set is forgotten."""
    kept = st.session_state.get(names.STRATA)
    if kept and not set(kept) <= set(strata):
        st.session_state[names.STRATA] = [name for name in kept if name in strata]
    return st.multiselect(
        "Strata",
        strata,
        format_func=lambda name: plain_option(name or "(none)"),
        key=names.STRATA,
        persist_state="session",
        placeholder="All",
    )


def _set_label(found: SetSummary | None) -> str:
    if found is None:
        return _ANOTHER
    size = "cannot be used" if found.problem else counted(found.queries, "query", "queries")
    return plain_option(f"{found.name} · {size}" + (" · bundled" if found.bundled else ""))


def _split(name: str | None) -> Split | None:
    return name if name in ("dev", "test") else None  # type: ignore[return-value]


def _size(asked: EvalSet | None, variants: Sequence[Variant]) -> str:
    if asked is None:
        return "Choose a set."
    if not asked.cases:
        return "No query is in this split and these strata."
    queries = counted(len(asked.cases), "query", "queries")
    return f"{queries} × {counted(len(variants), 'variant')}; answers are kept for the next run."


def _complain(error: InvalidInput) -> None:
    st.caption(f":red[{plain_label(str(error), limit=1500)}]")

"""The page Settings."""

from pathlib import Path

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings.listing import Value
from retrieval.types import ErrorInfo
from workbench.launch import Launch
from workbench.presenters.markup import plain_label
from workbench.presenters.prose import prose_label
from workbench.presenters.settings import (
    Section,
    consequences,
    fact_list,
    file_note,
    fingerprint_facts,
    group_settings,
    setting_table,
)
from workbench.services.settings import (
    list_settings,
    settings_folder,
    why_not_writable,
)
from workbench.services.settings_file import (
    Proposal,
    apply_proposal,
    propose,
    read_settings_file,
)
from workbench.services.settings_places import labelled_sets
from workbench.state import settings as keys
from workbench.views.frame import draw_page, show_error
from workbench.views.setting_fields import Fields, draw_fields

READ_ONLY = ErrorInfo(
    code="read_only",
    message="The workbench was started with --read-only.",
    next_action="Start it without to change settings here.",
)

LEAVE = {
    ("state_dir",): "Leave index and records where they are",
    ("sets_dir",): "Leave labelled sets where they are",
    ("state_dir", "sets_dir"): "Leave index, records and labelled sets where they are",
}
"""What a tick keeps, by the settings that it writes."""


def draw_settings_page() -> None:
    """Draws the page."""
    draw_page("Settings", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    folder = settings_folder(base, launch.kb)
    file = read_settings_file(folder)
    sections = group_settings(list_settings(base))
    reason = READ_ONLY if launch.read_only else why_not_writable(folder)
    _show_notice()
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.html(
            fact_list(
                [
                    ("Settings file", str(file.path) if file.digest else "none yet"),
                    ("Notes", str(base.location.root)),
                    ("State", str(base.location.state_dir)),
                    *fingerprint_facts(base.fingerprint),
                ]
            )
        )
        if reason is not None:
            st.info(f"{reason.message} {reason.next_action}", icon=":material/lock:")
    if reason is not None:
        with left:
            _draw_values(sections)
        return
    number = st.session_state.setdefault(keys.ROUND, 0)
    with left:
        fields = draw_fields(sections, file.digest or "new", number)
    with right:
        _draw_proposal(base, folder, fields)


def _draw_values(sections: tuple[Section, ...]) -> None:
    for tab, section in zip(st.tabs([s.title for s in sections]), sections, strict=True):
        with tab:
            st.html(setting_table(section))


def _draw_proposal(base: KnowledgeBase, folder: Path, fields: Fields) -> None:
    st.subheader("Change to knowledge.toml", anchor=False)
    if not fields.changes:
        st.caption("Nothing is changed yet. A change is shown here before it is written.")
        return
    proposal = _propose(base, folder, fields.changes)
    for name, message in proposal.errors.items():
        place = fields.places.get(name)
        (place or st).error(prose_label(message))
    if proposal.errors:
        count = len(proposal.errors)
        st.error(
            f"{count} {'value' if count == 1 else 'values'} cannot be used; see the fields.",
            icon=":material/error:",
        )
    else:
        st.code(proposal.difference or "(no difference)", language="diff", wrap_lines=True)
        if note := file_note(proposal):
            st.caption(note)
        for text in consequences(proposal):
            st.warning(text, icon=":material/info:")
    with st.container(horizontal=True):
        st.button(
            "Apply",
            type="primary",
            key=keys.APPLY,
            disabled=bool(proposal.errors),
            on_click=_apply,
            args=(proposal,),
        )
        st.button("Discard", key=keys.DISCARD, on_click=_start_again)


def _propose(base: KnowledgeBase, folder: Path, changes: dict[str, Value]) -> Proposal:
    """What the changes do; what they would move unasked stays where it is unless unticked."""
    state, sets = base.location.state_dir, labelled_sets(base)
    proposal = propose(folder, state, changes, sets=sets)
    stay: dict[str, Value] = {}
    if proposal.moves_state and "state_dir" not in changes:
        stay["state_dir"] = str(state)
    if proposal.moves_sets and "sets_dir" not in changes:
        stay["sets_dir"] = str(sets)
    if not stay:
        return proposal
    if not st.checkbox(LEAVE[tuple(stay)], value=True, key=keys.KEEP_STATE):
        return proposal
    return propose(folder, state, {**changes, **stay}, sets=sets)


def _apply(proposal: Proposal) -> None:
    """Writes what was on the screen when the button was pressed, not what it would be now."""
    try:
        apply_proposal(proposal)
    except RetrievalError as error:
        st.session_state[keys.NOTICE] = error.info()
    else:
        st.session_state[keys.NOTICE] = f"{proposal.before.path.name} was written."
    _start_again()


def _start_again() -> None:
    st.session_state[keys.ROUND] = st.session_state.get(keys.ROUND, 0) + 1


def _show_notice() -> None:
    notice = st.session_state.pop(keys.NOTICE, None)
    if isinstance(notice, ErrorInfo):
        show_error(notice)
    elif notice:
        st.success(plain_label(notice), icon=":material/check:")

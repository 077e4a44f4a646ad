"""The form of the page Settings: one widget a setting, and what was changed in them."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from retrieval.settings.listing import Value
from workbench.presenters.settings import (
    Section,
    override_note,
    setting_head,
    show_value,
)
from workbench.services.settings import Setting
from workbench.state import settings as keys


@dataclass(slots=True, kw_only=True)
class Fields:
    """What the form holds."""

    changes: dict[str, Value] = field(default_factory=dict)
    """Setting → new value, None where it shall have none; only what differs from the file."""
    places: dict[str, DeltaGenerator] = field(default_factory=dict)
    """Setting → where to say what is wrong with it."""


def draw_fields(sections: tuple[Section, ...], file: str, number: int) -> Fields:
    """Draws the sections as tabs and reads their widgets.

    `file` is the digest of the file that they start from, `number` counts fresh starts.
    """
    fields = Fields()
    for tab, section in zip(st.tabs([s.title for s in sections]), sections, strict=True):
        with tab:
            for setting in section.settings:
                about, field_ = st.columns([3, 2], gap="medium", vertical_alignment="center")
                about.html(setting_head(setting))
                with field_:
                    value = _draw_field(setting, keys.field(setting.path, file, number))
                if note := override_note(setting):
                    st.caption(note)
                fields.places[setting.path] = st.container()
                if value != setting.written:
                    fields.changes[setting.path] = value
    return fields


def _draw_field(setting: Setting, key: str) -> Value:
    """The widget; its value in the form that the service takes."""
    label = setting.name  # a name of the model: nothing foreign
    start: Any = setting.written  # its type follows from the kind
    if setting.kind == "choice":
        options = [*((None,) if setting.optional else ()), *setting.choices]
        chosen: str | None = st.selectbox(
            label,
            options,
            index=options.index(start),
            format_func=lambda option: option or "none",
            key=key,
            label_visibility="collapsed",
        )
        return chosen
    if setting.kind == "switch":
        return st.toggle(label, value=bool(start), key=key, label_visibility="collapsed")
    if setting.kind == "integer":
        return st.number_input(
            label,
            value=start if start is None else int(start),
            step=1,
            placeholder="none",
            key=key,
            label_visibility="collapsed",
        )
    if setting.kind == "number":
        return st.number_input(
            label,
            value=None if start is None else float(start),
            step=0.05,
            format="%g",
            placeholder="none",
            key=key,
            label_visibility="collapsed",
        )
    if setting.kind == "text":
        text = st.text_input(
            label,
            value=start or "",
            placeholder="none",
            key=key,
            label_visibility="collapsed",
        )
        return (text or "").strip() or (None if setting.optional else "")
    if setting.kind == "list":
        text = st.text_area(
            label,
            value="\n".join(start or ()),
            height=68 + 24 * min(4, len(start or ())),
            placeholder="none",
            key=key,
            label_visibility="collapsed",
        )
        items = tuple(line.strip() for line in (text or "").splitlines() if line.strip())
        return items or (None if setting.optional else ())
    st.code(show_value(setting.value), language=None, wrap_lines=True)
    st.caption("To be changed in the file or the environment.")
    return setting.written

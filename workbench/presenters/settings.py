"""The page Settings as values: sections, labels, where a value comes from, what a change means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from retrieval.settings.listing import Value
from retrieval.types import Fingerprint
from workbench.presenters.markup import chip, joined, plain_label, tag
from workbench.presenters.prose import prose
from workbench.services.settings import Setting
from workbench.services.settings_file import Proposal

_SECTIONS = {
    "": "Folders",
    "lookup": "Lookup",
    "knowledge": "Notes",
    "embedding": "Embedder",
    "chroma": "Vector server",
    "records": "Records",
    "lint": "Lint",
    "logs": "Logs",
}
_ORIGINS = {"default": ("default", ""), "file": ("knowledge.toml", "accent")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The settings of one table."""

    title: str
    settings: tuple[Setting, ...]


def group_settings(settings: Sequence[Setting]) -> tuple[Section, ...]:
    """The settings by table: those that are changed most first, unknown tables last."""
    order = {name: at for at, name in enumerate(("lookup", "knowledge", "embedding", "records"))}
    names = sorted(
        dict.fromkeys(setting.section for setting in settings),
        key=lambda name: (name == "", order.get(name, len(order))),
    )
    return tuple(
        Section(
            title=_SECTIONS.get(name, name.replace("_", " ").capitalize()),
            settings=tuple(setting for setting in settings if setting.section == name),
        )
        for name in names
    )


def describe(setting: Setting) -> str:
    """What the setting is for, and what it may be; plain text."""
    text = setting.description
    parts = [text[:1].upper() + text[1:] if text else "", setting.bounds]
    if setting.kind == "list":
        parts.append("one a line")
    return "; ".join(part for part in parts if part)


def setting_head(setting: Setting) -> Markup:
    """Name, meaning, and where the value comes from."""
    return tag(
        "div",
        tag("div", setting.name, css="kt-name"),
        tag("div", prose(describe(setting)), css="kw-muted kt-small"),
        origin_line(setting),
        css="kt-setting",
    )


def origin_line(setting: Setting) -> Markup:
    """Where the value comes from, and what it would be without the file."""
    label, tone = _ORIGINS.get(setting.origin, ("environment", "warn"))
    parts: list[str | Markup] = [chip(label, tone=tone)]
    if setting.origin != "default" and setting.kind != "list":
        parts.append(tag("span", f"default {show_value(setting.default)}", css="kw-muted"))
    return tag("div", *parts, css="kt-small")


def override_note(setting: Setting) -> str:
    """That the environment wins, as a label; empty when it does not."""
    if setting.origin != "environment":
        return ""
    return plain_label(
        f"{setting.variable} sets {show_value(setting.value)}. What the file says has no effect "
        "while it is set.",
        limit=400,
    )


def setting_table(section: Section) -> Markup:
    """All settings of a section with their values, for reading only."""
    rows = [
        tag(
            "tr",
            tag("td", setting_head(setting)),
            tag("td", tag("code", show_value(setting.value))),
        )
        for setting in section.settings
    ]
    return tag("table", tag("tbody", *rows), css="kt-table")


def fact_list(facts: Iterable[tuple[str, str]]) -> Markup:
    """Names and values as a definition list; a blank value is a dash."""
    return tag(
        "dl",
        *(joined([tag("dt", name), tag("dd", value or "–")]) for name, value in facts),
        css="kt-facts",
    )


def fact_row(facts: Iterable[tuple[str, str]]) -> Markup:
    """Names and values beside each other, for a few short ones."""
    return tag(
        "div",
        *(
            tag("div", tag("div", value or "–", css="kt-number"), tag("div", name, css="kw-muted"))
            for name, value in facts
        ),
        css="kt-row",
    )


def fingerprint_facts(mark: Fingerprint) -> tuple[tuple[str, str], ...]:
    """The three digests by name."""
    return (
        ("Settings", mark.config),
        ("Index", mark.index or ""),
        ("Embedder", mark.embedding or ""),
    )


def consequences(proposal: Proposal) -> tuple[str, ...]:
    """What applying does beside the file, as labels: one sentence each."""
    found = []
    if proposal.moves_state:
        found.append(
            f"Index and recorded lookups are then looked for in {proposal.state_after}. "
            f"Those of today stay in {proposal.state_before} and are not moved: the index has to "
            "be built again there."
        )
    elif proposal.rebuilds:
        names = ", ".join(proposal.rebuilds)
        found.append(
            f"The index of today does not fit a change of {names}: until it is built again on the "
            "page Knowledge, only words answer."
        )
    if proposal.moves_sets:
        found.append(
            f"Labelled sets are then looked for in {proposal.sets_after}. Those of today stay in "
            f"{proposal.sets_before} and are not moved: this app does not find them there."
        )
    return tuple(plain_label(text, limit=800) for text in found)


def file_note(proposal: Proposal) -> str:
    """Which file will be made, as a label; empty when there is one."""
    if not proposal.creates:
        return ""
    return plain_label(f"The file {proposal.before.path} will be created.", limit=800)


def show_value(value: Value) -> str:
    """A value as a reader would write it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)

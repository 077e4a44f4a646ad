"""The page of every setting, from the settings types and the options of `query`."""

from collections.abc import Iterator

from retrieval.cli import cli
from retrieval.settings import LookupSettings
from retrieval.settings.listing import SettingField, Value, list_fields
from tests.pages.tables import sentence, table

HEAD = ("Setting, variable", "Values, default", "What it does", "Option", "Part of")


def settings_page() -> str:
    """One heading and table for each table of `knowledge.toml`, the top of the file first."""
    fields = list_fields()
    parts = []
    for section in dict.fromkeys(field.section for field in fields):
        rows = [_row(field) for field in fields if field.section == section]
        parts.append(f"### {_title(section)}\n\n{_about(section)}\n\n{table(HEAD, rows)}\n")
    return "\n".join(parts).rstrip()


def option_of(field: SettingField) -> str | None:
    """The option of `query` or of the whole command that says the same for one call."""
    if field.path == "logs.format":
        return "--log"
    if field.section != "lookup":
        return None
    name = field.path.rpartition(".")[2]
    found = [o for p in cli.commands["query"].params if p.name == name for o in p.opts]
    return found[0] if found else None


def changes_fingerprint(field: SettingField) -> bool:
    """Whether another value gives another `fingerprint.config`."""
    return field.path in set(_in_digest(LookupSettings().digested()))


def _in_digest(data: dict[str, object], prefix: str = "") -> Iterator[str]:
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _in_digest(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _title(section: str) -> str:
    return f"`[{section}]`" if section else "The top of the file"


def _about(section: str) -> str:
    if not section:
        return "Where things lie. Paths are relative to the file."
    text = LookupSettings.model_fields[section].annotation.__doc__ or ""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _row(field: SettingField) -> tuple[str, ...]:
    marks = []
    if changes_fingerprint(field):
        marks.append("config")
    if field.changes_index:
        marks.append("index")
    option = option_of(field)
    return (
        f"`{field.path}`<br>`{field.variable}`",
        f"{_kind(field)}; {_default(field)}",
        sentence(field.description),
        f"`{option}`" if option else "",
        ", ".join(marks),
    )


def _kind(field: SettingField) -> str:
    if field.secret:
        return "secret text"
    if field.kind == "choice":
        return ", ".join(f"`{word}`" for word in field.choices)
    kind = {"switch": "`true` or `false`", "list": "list of texts", "integer": "whole number"}
    name = kind.get(field.kind, field.kind)
    return f"{name}, {field.bounds}" if field.bounds else name


def _default(field: SettingField) -> str:
    return "no default" if field.default in (None, ()) else f"default {_show(field.default)}"


def _show(value: Value) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"

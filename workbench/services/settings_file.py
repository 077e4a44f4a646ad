"""Editing `knowledge.toml`: a proposal with its difference first, then one atomic write.

What the file holds beside the changed settings stays as it is: comments, order, blanks.
"""

import difflib
import hashlib
import threading
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from retrieval.atomic import write_atomic
from retrieval.errors import KnowledgeError, MissingExtra, SettingsError
from retrieval.reading import decode, parse_toml, read_regular
from retrieval.settings import CONFIG_NAME, LookupSettings, load_settings
from retrieval.settings.listing import Value, list_fields
from workbench.services.settings import hide_secrets
from workbench.services.settings_places import sets_after, state_after

_BOM = "\ufeff"
_applying = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """`knowledge.toml` as it was read. `digest` is None when there was no file."""

    path: Path
    text: str
    digest: str | None

    @property
    def creates(self) -> bool:
        """True when there is no file yet, so that writing makes one."""
        return self.digest is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What applying some changes would do; it can be applied when it has no errors."""

    before: SettingsFile
    text: str
    errors: Mapping[str, str]
    """Setting → what is wrong with its new value; the empty name for the file as a whole."""
    state_before: Path
    state_after: Path
    """Where index and records are looked for before and afterwards."""
    sets_before: Path | None = None
    sets_after: Path | None = None
    """Where labelled sets are looked for before and afterwards; None while there are none."""
    rebuilds: tuple[str, ...] = ()
    """Changed settings that the index of today does not fit."""

    @property
    def difference(self) -> str:
        """A unified diff, without secrets; empty when nothing changes."""
        name = self.before.path.name
        old = hide_secrets(self.before.text).splitlines(keepends=False)
        new = hide_secrets(self.text).splitlines(keepends=False)
        lines = difflib.unified_diff(
            old,
            new,
            fromfile=name if self.before.digest else "no file",
            tofile=name,
            lineterm="",
        )
        return "\n".join(lines)

    @property
    def creates(self) -> bool:
        """True when there is no file yet."""
        return self.before.creates

    @property
    def moves_state(self) -> bool:
        """True when index and records would be looked for in another folder."""
        return self.state_before != self.state_after

    @property
    def moves_sets(self) -> bool:
        """True when there are labelled sets, and they would be looked for in another folder."""
        return self.sets_before != self.sets_after


def read_settings_file(folder: Path) -> SettingsFile:
    """The file in this folder, or an empty one that does not exist yet.

    Raises `SettingsError` when it is not UTF-8 or cannot be read.
    """
    config = folder / CONFIG_NAME
    if not config.exists() and not config.is_symlink():
        return SettingsFile(path=config.resolve(), text="", digest=None)
    try:
        data = read_regular(config)
        text = decode(data)
    except ValueError as error:
        raise SettingsError(
            f"{config} cannot be read: {error}.", next_action="Correct the file or its permission."
        ) from error
    path = config.resolve()  # a link stays a link: its target is written
    return SettingsFile(path=path, text=text, digest=hashlib.sha256(data).hexdigest())


def propose(
    folder: Path, state_dir: Path, changes: Mapping[str, Value], *, sets: Path | None = None
) -> Proposal:
    """What writing `changes` (setting → new value) to the folder's file would do.

    None takes a setting out of the file, so that its default holds. `state_dir` is the state
    folder of today, `sets` that of the labelled sets if there are any. Nothing is written.
    """
    before = read_settings_file(folder)
    text = _edit(before.text, changes)
    errors = _find_errors(text)
    if not errors and "root" in changes:
        try:
            load_settings(folder, {"root": changes["root"]})
        except KnowledgeError as error:
            errors["root"] = str(error)
    state, labels = state_dir, sets
    if not errors:
        old, new = (tomllib.loads(t.removeprefix(_BOM)) for t in (before.text, text))
        if before.creates or old.get("state_dir") != new.get("state_dir"):
            state = state_after(folder, old.get("state_dir"), new.get("state_dir")) or state_dir
        if sets and (before.creates or old.get("sets_dir") != new.get("sets_dir")):
            labels = sets_after(folder, old.get("sets_dir"), new.get("sets_dir")) or sets
    return Proposal(
        before=before,
        text=text,
        errors=errors,
        state_before=state_dir,
        state_after=state,
        sets_before=sets,
        sets_after=labels,
        rebuilds=tuple(f.path for f in list_fields() if f.changes_index and f.path in changes),
    )


def apply_proposal(proposal: Proposal) -> None:
    """Writes the file in one step.

    Raises `SettingsError` when the proposal has errors, when the file is no longer the one that
    the proposal was made from, or when it cannot be written; the file then stays as it is.
    """
    path = proposal.before.path
    if proposal.errors:
        raise SettingsError(
            f"{path.name} was not written: {next(iter(proposal.errors.values()))}",
            next_action="Correct the value.",
        )
    with _applying:
        if read_settings_file(path.parent).digest != proposal.before.digest:
            raise SettingsError(
                f"{path} changed since this page read it; nothing was written.",
                next_action="Load the page again and repeat your change.",
            )
        try:
            write_atomic(path, proposal.text)
        except OSError as error:
            raise SettingsError(
                f"{path} cannot be written: {error.strerror}.",
                next_action="Correct the permission of the folder.",
            ) from error


def _edit(text: str, changes: Mapping[str, Value]) -> str:
    """The text with these settings; line ends and a byte order mark stay as they are."""
    try:
        import tomlkit
        from tomlkit.exceptions import ParseError
    except ModuleNotFoundError as error:
        raise MissingExtra("Editing settings", "workbench") from error
    mark = _BOM if text.startswith(_BOM) else ""
    try:
        parse_toml(text.removeprefix(_BOM))
        document = tomlkit.parse(text.removeprefix(_BOM))
    except (ParseError, ValueError) as error:
        raise SettingsError(
            f"{CONFIG_NAME} cannot be read as TOML: {error}.", next_action="Correct the file."
        ) from error
    for name, value in changes.items():
        *tables, key = name.split(".")
        table = cast(Any, document)
        for part in tables:
            if part not in table and value is not None:
                table[part] = tomlkit.table()
            table = table.get(part, {})
        if value is None:
            table.pop(key, None)
        else:
            table[key] = _toml(value, multiline="\n" in _source(table.get(key)))
    edited = tomlkit.dumps(document)
    if "\r\n" in text:
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    return mark + edited


def _toml(value: Value, *, multiline: bool) -> Any:
    import tomlkit

    if not isinstance(value, tuple):
        return value
    items = tomlkit.array()
    items.extend(value)
    return items.multiline(multiline)


def _source(item: Any) -> str:
    return item.as_string() if hasattr(item, "as_string") else ""


def _find_errors(text: str) -> dict[str, str]:
    try:
        LookupSettings.model_validate(tomllib.loads(text.removeprefix(_BOM)))
    except ValidationError as error:
        found: dict[str, str] = {}
        for row in error.errors():
            # The parts after the setting's own name say which item of a list it is.
            name = ".".join(str(part) for part in row["loc"] if isinstance(part, str))
            found.setdefault(name, _reason(row["loc"], row["msg"], row["input"]))
        return found
    return {}


def _reason(place: tuple[int | str, ...], message: str, given: object) -> str:
    reason = message.removeprefix("Value error, ")
    if place[:1] in (("chroma",), ("records",)):  # which may hold a secret
        return f"{reason}."
    return f"{reason}, but it is {given!r}."

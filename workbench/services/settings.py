"""The settings of a knowledge base: what holds, where each comes from, how it may be edited."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from retrieval.bundled import default_knowledge
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import ENV_PREFIX, LookupSettings
from retrieval.settings.listing import Kind, SettingField, Value, list_fields, to_plain
from retrieval.settings.loading import read_config
from retrieval.types import ErrorInfo

Origin = Literal["default", "file", "environment"]

HIDDEN = "••••••"
_SECRET_NAMES = {"token", "password", "secret", "api_key"}
_PASSWORD = re.compile(r"(?<=://)([^/\s:@]*:)[^/\s@]+(?=@)|([?&]\w*(?:pass|key)\w*=)[^&\s\"']+")
_SECRET_LINE = re.compile(
    rf"^(?P<key>[^=#\n]*\b(?:{'|'.join(sorted(_SECRET_NAMES))})\b[\"']?\s*=\s*).*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of one knowledge base."""

    path: str
    """Name with its table, such as `lookup.top_k`."""
    kind: Kind
    """`other` cannot be edited in a form."""
    optional: bool
    """True when it may have no value."""
    choices: tuple[str, ...] = ()
    bounds: str = ""
    """Such as `1 to 1000`; empty without any."""
    description: str = ""
    default: Value = None
    value: Value = None
    """What holds now."""
    in_file: Value = None
    """What `knowledge.toml` says; None when it does not."""
    origin: Origin = "default"
    variable: str | None = None
    """The environment variable that sets it, and wins over the file."""
    secret: bool = False
    """True when its value must not be shown: `value` and `in_file` are hidden already."""

    @property
    def section(self) -> str:
        """The table it stands in; empty for the top of the file."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The key within its table."""
        return self.path.rpartition(".")[2]

    @property
    def written(self) -> Value:
        """What holds without the environment: what a form starts from."""
        return self.default if self.in_file is None else self.in_file


def list_settings(
    base: KnowledgeBase, environ: Mapping[str, str] = os.environ
) -> tuple[Setting, ...]:
    """Every setting in the order of the model, the top of the file first.

    Raises `SettingsError` when `knowledge.toml` can no longer be read.
    """
    now = base.settings.model_dump(mode="json")
    raw = _read_raw(base.location.config)
    written = LookupSettings.model_validate(raw).model_dump(mode="json")
    variables = _variables(environ)
    return tuple(
        _setting(
            field,
            now,
            written if _has(raw, field.path) else {},
            variables.get(field.path),
        )
        for field in list_fields()
    )


def settings_folder(base: KnowledgeBase, kb: Path | None) -> Path:
    """The folder in which `knowledge.toml` lies or would lie; `kb` is how the app was started."""
    if base.location.config is not None:
        return base.location.config.parent
    return (kb or default_knowledge(Path.cwd())).resolve()


def why_not_writable(folder: Path) -> ErrorInfo | None:
    """Why nothing may be written to this folder, or None."""
    from eval_sets.sets import bundled_sets

    if any(folder.is_relative_to(bundled) for bundled in bundled_sets().values()):
        return ErrorInfo(
            code="bundled",
            message="These notes are part of the program, and an upgrade replaces them; there is "
            "no file of yours to write to.",
            next_action="To have settings of your own, start with --kb and a folder of your notes.",
        )
    if not os.access(folder, os.W_OK):
        return ErrorInfo(
            code="not_writable",
            message=f"The folder {folder} cannot be written to by this process.",
            next_action="Change its permission, or edit knowledge.toml as its owner.",
        )
    return None


def hide_secrets(text: str) -> str:
    """TOML text or a URL without passwords and tokens, also those in a URL's options."""
    text = _PASSWORD.sub(rf"\1\2{HIDDEN}", text)
    return _SECRET_LINE.sub(rf'\g<key>"{HIDDEN}"', text)


def _setting(
    field: SettingField,
    now: Mapping[str, Any],
    written: Mapping[str, Any],
    variable: str | None,
) -> Setting:
    value, in_file = to_plain(_at(now, field.path)), to_plain(_at(written, field.path))
    secret = (
        field.secret
        or field.path.rpartition(".")[2] in _SECRET_NAMES
        or any(hide_secrets(v) != v for v in (value, in_file) if isinstance(v, str))
    )
    if secret:
        value, in_file = _hidden(value), _hidden(in_file)
    origin: Origin = "environment" if variable else "default" if in_file is None else "file"
    return Setting(
        path=field.path,
        kind="other" if secret else field.kind,
        optional=field.optional,
        choices=field.choices,
        bounds=field.bounds,
        description=field.description,
        default=field.default,
        value=value,
        in_file=in_file,
        origin=origin,
        variable=variable,
        secret=secret,
    )


def _read_raw(config: Path | None) -> dict[str, Any]:
    if config is None or not config.is_file():
        return {}
    return read_config(config)


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Setting → the environment variable that sets it."""
    names = sorted(name for name in environ if name.startswith(ENV_PREFIX))
    return {n.removeprefix(ENV_PREFIX).lower().replace("__", "."): n for n in names}


def _has(data: Mapping[str, Any], path: str) -> bool:
    return _at(data, path) is not None


def _at(data: Mapping[str, Any], path: str) -> Any:
    value: Any = data
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def _hidden(value: Value) -> Value:
    return None if value is None else hide_secrets(str(value)) if "://" in str(value) else HIDDEN

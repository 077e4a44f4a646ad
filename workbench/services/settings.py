"""The settings of a knowledge base: what holds, where each comes from, how it may be edited."""

import os
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from retrieval.bundled import default_knowledge
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import ENV_PREFIX, LookupSettings, read_config
from retrieval.types import ErrorInfo

Origin = Literal["default", "file", "environment"]
Kind = Literal["choice", "switch", "integer", "number", "text", "list", "other"]
Value: TypeAlias = str | int | float | bool | tuple[str, ...] | None

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
        _setting(path, field, now, written if _has(raw, path) else {}, variables.get(path))
        for path, field in _fields(LookupSettings)
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


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Single settings before tables, as TOML wants them."""
    tables = []
    for name, field in model.model_fields.items():
        inner = next((t for t in _alternatives(field.annotation) if _is_table(t)), None)
        if inner is None:
            yield prefix + name, field
        else:
            tables.append((f"{prefix}{name}.", inner))
    for path, inner in tables:
        yield from _fields(inner, path)


def _setting(
    path: str,
    field: FieldInfo,
    now: Mapping[str, Any],
    written: Mapping[str, Any],
    variable: str | None,
) -> Setting:
    kind, choices = _kind(field)
    value, in_file = _plain(_at(now, path)), _plain(_at(written, path))
    types_ = _alternatives(field.annotation)
    secret = (
        path.rpartition(".")[2] in _SECRET_NAMES
        or any(t in {SecretStr, SecretBytes} for t in types_)
        or any(hide_secrets(v) != v for v in (value, in_file) if isinstance(v, str))
    )
    if secret:
        value, in_file = _hidden(value), _hidden(in_file)
    origin: Origin = "environment" if variable else "default" if in_file is None else "file"
    default = field.get_default(call_default_factory=True, validated_data={})
    return Setting(
        path=path,
        kind="other" if secret else kind,
        optional=type(None) in types_,
        choices=choices,
        bounds=_bounds(field),
        description=field.description or "",
        default=_plain(default),
        value=value,
        in_file=in_file,
        origin=origin,
        variable=variable,
        secret=secret,
    )


def _kind(field: FieldInfo) -> tuple[Kind, tuple[str, ...]]:
    inner = [t for t in _alternatives(field.annotation) if t is not type(None)]
    if len(inner) != 1:
        return "other", ()
    only = inner[0]
    if typing.get_origin(only) is Literal:
        return "choice", tuple(str(word) for word in typing.get_args(only))
    if typing.get_origin(only) in {tuple, list}:
        return ("list" if typing.get_args(only)[0] is str else "other"), ()
    kinds: dict[Any, Kind] = {bool: "switch", int: "integer", float: "number"}
    kinds |= {str: "text", Path: "text"}
    return kinds.get(only, "other"), ()


def _bounds(field: FieldInfo) -> str:
    low = high = ""
    for mark in field.metadata:
        if isinstance(mark, Ge):
            low = f"{mark.ge:g}"
        elif isinstance(mark, Gt):
            low = f"more than {mark.gt:g}"
        elif isinstance(mark, Le):
            high = f"{mark.le:g}"
        elif isinstance(mark, Lt):
            high = f"less than {mark.lt:g}"
    if low and high:
        return f"{low} to {high}"
    if low:
        return low if low.startswith("more") else f"at least {low}"
    return f"at most {high}" if high else ""


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return typing.get_args(annotation)
    return (annotation,)


def _is_table(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


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


def _plain(value: Any) -> Value:
    if isinstance(value, list | tuple):
        return tuple(str(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _hidden(value: Value) -> Value:
    return None if value is None else hide_secrets(str(value)) if "://" in str(value) else HIDDEN

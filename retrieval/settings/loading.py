"""Settings: `knowledge.toml`, then the environment, then arguments; the later one wins.

An environment variable is `LOOKUP_` + section + `__` + key, such as `LOOKUP_LOOKUP__TOP_K=5` or
`LOOKUP_EMBEDDING__THREADS=1`. A key that does not exist is refused by name, wherever it stands.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from retrieval.errors import KnowledgeError, SettingsError
from retrieval.reading import read_toml
from retrieval.settings.sections import LookupSettings
from retrieval.shown import show

CONFIG_NAME = "knowledge.toml"
STATE_NAME = ".lookup-knowledge"
ENV_PREFIX = "LOOKUP_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a knowledge base lies: its root, its state folder, and its settings file if any."""

    root: Path
    state_dir: Path
    config: Path | None


def load_settings(
    path: Path, overrides: Mapping[str, Any] | None = None
) -> tuple[LookupSettings, Location]:
    """Settings and location of the knowledge base at `path`.

    `path` is a notes root or a folder with `knowledge.toml`. `overrides` are nested like the file,
    for example `{"lookup": {"top_k": 5}}`.

    Raises `SettingsError` for an unknown or unusable setting, with its name and where it stands,
    and `KnowledgeError` when the folder or the root that it names is missing.
    """
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise KnowledgeError(
            f"The knowledge base {path} {what}.",
            next_action="Name the folder that holds the notes or a knowledge.toml.",
        )
    path = path.resolve()
    config = path / CONFIG_NAME
    # Whatever else has the name is refused by who reads it, not taken for no settings.
    has_config = config.exists() or config.is_symlink()
    data = read_config(config) if has_config else {}
    _validate(data, str(config))
    data = _merge(data, _environment(os.environ))
    settings = _validate(_merge(data, overrides or {}), "the environment or an argument")
    root = (path / settings.root).resolve() if settings.root else path
    if not root.is_dir():
        raise KnowledgeError(
            f"The root {root} that {config} names is not a folder.",
            next_action="Correct `root`; it is relative to the settings file.",
        )
    own = path / STATE_NAME if has_config else user_state_dir(root)
    state = path / settings.state_dir if settings.state_dir else own
    return settings, Location(
        root=root, state_dir=state.resolve(), config=config if has_config else None
    )


def user_state_dir(root: Path) -> Path:
    """The state folder of a root without `knowledge.toml`, keyed by its real path."""
    import platformdirs

    key = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:16]
    return Path(platformdirs.user_data_dir("lookup-knowledge")) / f"{root.resolve().name}-{key}"


def read_config(config: Path) -> dict[str, Any]:
    """The tables of a settings file as they stand; raises `SettingsError` as `load_settings`."""
    try:
        return read_toml(config)
    except ValueError as error:
        raise SettingsError(
            f"{config} cannot be read: {error}.", next_action="Correct the file."
        ) from error


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted(environ):
        if not name.startswith(ENV_PREFIX):
            continue
        keys = name.removeprefix(ENV_PREFIX).lower().split("__")
        value: Any = environ[name]
        if value.lstrip().startswith("["):
            try:
                value = json.loads(value)
            except json.JSONDecodeError:
                raise SettingsError(
                    f"The environment variable {name} is no JSON list.",
                    next_action='Write it like ["a", "b"].',
                ) from None
        nested: Any = value
        for key in reversed(keys):
            nested = {key: nested}
        _validate(nested, f"the environment variable {name}", alone=True)
        found = _merge(found, nested)
    return found


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both_tables else value
    return merged


def _validate(data: Mapping[str, Any], origin: str, *, alone: bool = False) -> LookupSettings:
    """The settings; defaults for one that stands `alone`, and needs another beside it."""
    try:
        return LookupSettings.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        if alone and isinstance(first["input"], Mapping) and first["type"] == "value_error":
            return LookupSettings()
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise SettingsError(
                f"Unknown setting '{name}' in {origin}.",
                next_action=f"Settings here: {', '.join(_siblings(first['loc']))}.",
            ) from None
        reason = first["msg"].removeprefix("Value error, ")
        if first["loc"][0] not in ("chroma", "records"):  # which may hold a secret
            reason += f", but it is {show(first['input'])}"
        raise SettingsError(
            f"Setting '{name}' in {origin} is not usable: {reason}.",
            next_action="Correct the value.",
        ) from None


def _siblings(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = LookupSettings
    for part in location[:-1]:
        annotation = model.model_fields[str(part)].annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            model = annotation
    return list(model.model_fields)

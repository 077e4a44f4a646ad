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
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from retrieval.chroma_settings import ChromaSection
from retrieval.errors import KnowledgeError, SettingsError
from retrieval.logs import LogSection
from retrieval.reading import read_toml
from retrieval.settings_section import LintSection, Section
from retrieval.shown import show
from retrieval.types import FilterMode, L1Mode, LookupMode

CONFIG_NAME = "knowledge.toml"
STATE_NAME = ".lookup-knowledge"
ENV_PREFIX = "LOOKUP_"


class KnowledgeSettings(Section):
    """Which files are notes, and which frontmatter keys give their fields.

    Keys compare folded: `Title`, `title` and `TITLE` are one key. For `title`, `category` and
    `entities` the first key that has a value wins; for `keywords` all keys are merged.
    """

    include: tuple[str, ...] = Field(
        default=("**/*.md", "**/*.markdown"), description="globs below the root"
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="globs that are left out, besides hidden and dependency folders"
    )
    title: tuple[str, ...] = ("title", "name")
    keywords: tuple[str, ...] = ("keywords", "keyword", "tags", "tag", "aliases", "alias")
    category: tuple[str, ...] = ("category", "domain", "categories", "section", "product")
    entities: tuple[str, ...] = ("entities", "entity")
    folder_as_category: bool = Field(
        default=True, description="the first folder is the category of a note that names none"
    )
    ignore: tuple[str, ...] = Field(default=(), description="frontmatter keys that are not read")


class LookupSection(Section):
    """How a query is answered when the call does not say otherwise."""

    mode: LookupMode = "l0+l1"
    filter_mode: FilterMode = "auto"
    l1_mode: L1Mode = "hybrid"
    top_k: int = Field(default=8, ge=1, le=1000, description="evidence blocks at most")
    min_score: float | None = Field(
        default=None, ge=-1, le=1, description="least cosine of an L1 passage"
    )
    budget: int | None = Field(
        default=None, ge=200, description="tokens of the serialised answer at most"
    )
    l1_timeout: float = Field(default=5.0, gt=0, description="seconds that L1 may take")
    relax_margin: float = Field(
        default=0.1,
        ge=0,
        le=2,
        description="cosine by which a hit outside the derived filter may trail the best inside",
    )
    semantic_floor: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="least cosine that counts as semantic support; "
        "without a value the embedder's own",
    )


class EmbeddingSection(Section):
    """The embedder. Another model needs a new index."""

    model: str = Field(
        default="minilm", description="`minilm`, `hash:N`, or `<integration>:<name>`"
    )
    threads: int | None = Field(default=None, ge=1, description="without a value: all cores")
    window: int = Field(default=256, ge=32, le=8192, description="tokens of a passage at most")
    scripts: tuple[str, ...] | None = Field(
        default=None,
        description="scripts the model was trained on; without a value the embedder's own",
    )


class RecordSection(Section):
    """Where invocations are recorded."""

    record: Literal["full", "no_query", "off"] = "full"
    url: str | None = Field(default=None, description="by default SQLite in the state folder")
    """A relative SQLite file is relative to the settings file, without one to the state folder."""


class LookupSettings(Section):
    """All settings of one knowledge base."""

    root: Path | None = Field(default=None, description="knowledge root, relative to the file")
    state_dir: Path | None = Field(default=None, description="index, records, spool and lock")
    sets_dir: Path | None = Field(default=None, description="where labelled sets are written")
    knowledge: KnowledgeSettings = KnowledgeSettings()
    lookup: LookupSection = LookupSection()
    embedding: EmbeddingSection = EmbeddingSection()
    chroma: ChromaSection = ChromaSection()
    records: RecordSection = RecordSection()
    lint: LintSection = LintSection()
    logs: LogSection = LogSection()

    def digest(self) -> str:
        """Short digest of what can change an answer: not of places, threads or time limits."""
        data = self.model_dump(mode="json", include={"knowledge", "lookup", "embedding"})
        data["embedding"].pop("threads")
        data["lookup"].pop("l1_timeout")
        text = json.dumps(data, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


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
        _validate(nested, f"the environment variable {name}")
        found = _merge(found, nested)
    return found


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both_tables else value
    return merged


def _validate(data: Mapping[str, Any], origin: str) -> LookupSettings:
    try:
        return LookupSettings.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
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

"""Every setting: its table, type, bounds, default and meaning."""

import hashlib
import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.logs import LogSection
from retrieval.settings.chroma import ChromaSection
from retrieval.types import FilterMode, Json, L1Mode, LookupMode


class Section(BaseModel):
    """A table of `knowledge.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class KnowledgeSettings(Section):
    """Which files are notes, and which frontmatter keys give their fields.

    Keys compare folded: `Title`, `title` and `TITLE` are one key. For `title`, `category` and
    `entities` the first key that has a value wins; for `keywords` all keys are merged.
    """

    include: tuple[str, ...] = Field(
        default=("**/*.md", "**/*.markdown"), description="globs of the notes, below the root"
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="globs of files that are no notes, besides hidden and dependency folders",
    )
    title: tuple[str, ...] = Field(
        default=("title", "name"),
        description="frontmatter keys of the title; the first that has a value wins",
    )
    keywords: tuple[str, ...] = Field(
        default=("keywords", "keyword", "tags", "tag", "aliases", "alias"),
        description="frontmatter keys whose values are all keywords",
    )
    category: tuple[str, ...] = Field(
        default=("category", "domain", "categories", "section", "product"),
        description="frontmatter keys of the category; the first that has a value wins",
    )
    entities: tuple[str, ...] = Field(
        default=("entities", "entity"),
        description="frontmatter keys of the entities; the first that has a value wins",
    )
    folder_as_category: bool = Field(
        default=True, description="the first folder is the category of a note that names none"
    )
    ignore: tuple[str, ...] = Field(default=(), description="frontmatter keys that are not read")


class LookupSection(Section):
    """How a query is answered when the call does not say otherwise."""

    mode: LookupMode = Field(
        default="l0+l1", description="layers that answer: words (l0), meaning (l1), or both"
    )
    filter_mode: FilterMode = Field(
        default="auto",
        description="what a category found by words does: auto lets in what is nearly as good, "
        "strict does not, off never filters",
    )
    l1_mode: L1Mode = Field(
        default="hybrid",
        description="what finds by meaning: vectors with full text, or one of them alone",
    )
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
        description="cosine by which a hit outside the derived filter may trail the best inside; "
        "of BM25, twice that share",
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
        default="minilm",
        description="the model: `minilm` (bundled), `hash:N` (a bag of words, for tests), or "
        "`huggingface:NAME`, `fastembed:NAME`, `openai:NAME`, `ollama:NAME`",
    )
    threads: int | None = Field(
        default=None, ge=1, description="threads of the model; without a value all cores"
    )
    window: int = Field(default=256, ge=32, le=8192, description="tokens of a passage at most")
    scripts: tuple[str, ...] | None = Field(
        default=None,
        description="scripts the model was trained on; without a value the embedder's own",
    )


class RecordSection(Section):
    """Where invocations are recorded."""

    record: Literal["full", "no_query", "off"] = Field(
        default="full", description="what is kept of a lookup; no_query leaves the query out"
    )
    url: str | None = Field(
        default=None,
        description="database; without a value SQLite in the state folder. A relative SQLite file "
        "is relative to the settings file, without one to the state folder",
    )


class LintSection(Section):
    """What `lint` leaves out. A name that is no rule is refused when `lint` runs."""

    ignore: tuple[str, ...] = Field(default=(), description="rules that are not reported")


class LookupSettings(Section):
    """All settings of one knowledge base."""

    root: Path | None = Field(
        default=None,
        description="folder of the notes, relative to the file; without a value its own",
    )
    state_dir: Path | None = Field(
        default=None, description="folder of index, records, spool and lock"
    )
    sets_dir: Path | None = Field(
        default=None, description="folder that labelled sets are written to"
    )
    knowledge: KnowledgeSettings = KnowledgeSettings()
    lookup: LookupSection = LookupSection()
    embedding: EmbeddingSection = EmbeddingSection()
    chroma: ChromaSection = ChromaSection()
    records: RecordSection = RecordSection()
    lint: LintSection = LintSection()
    logs: LogSection = LogSection()

    def digest(self) -> str:
        """Short digest of what can change an answer: the `config` of a fingerprint."""
        text = json.dumps(self.digested(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def digested(self) -> dict[str, dict[str, Json]]:
        """The values that the digest is of: no places, threads, time limits."""
        data = self.model_dump(mode="json", include={"knowledge", "lookup", "embedding"})
        data["embedding"].pop("threads")
        data["lookup"].pop("l1_timeout")
        return data

"""Variants from their written form, and the knowledge bases that answer for them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from eval_sets.schema import explain
from eval_sets.types import FaultProfile, Variant
from retrieval.calibration import indexing_digest
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from retrieval.reading import read_toml
from retrieval.settings import LookupSettings, load_settings
from retrieval.types import LookupMode

_KEYS = {
    "filter": "filter_mode",
    "l1": "l1_mode",
    "top_k": "top_k",
    "min_score": "min_score",
    "relax_margin": "relax_margin",
    "semantic_floor": "semantic_floor",
}
_FAULT = "fault"
_NOT_OF_A_VARIANT = ("root", "state_dir", "sets_dir", "records", "chroma")
PATIENCE_SECONDS = 60.0
"""Time limit of L1 in an evaluation: a busy machine is no reason for a fallback. The fault
`l1-timeout` keeps its own, short one."""


def parse_variant(text: str) -> Variant:
    """The variant that a text names; its name is the text, or the part before `=` of a file.

        l0 · l1 · l0+l1                              layers
        l0+l1:filter=strict,l1=dense,fault=l1-raises more settings: filter, l1, top_k, min_score,
                                                     relax_margin, semantic_floor, and a fault
        tuned.toml · tuned=path/to/settings.toml     a file with the tables of knowledge.toml

    A variant with settings of its own `[embedding]` or `[knowledge]` gets its own index. Raises
    `InvalidInput` for an unknown layer, key, fault or setting, by name.
    """
    text = text.strip()
    if text.endswith(".toml"):
        name, separator, path = text.partition("=")
        return _from_file(name if separator else Path(text).stem, Path(path or text))
    mode, _, rest = text.partition(":")
    if mode not in get_args(LookupMode):
        raise InvalidInput(
            f"The variant {text!r} begins with {mode!r}, which is no layer.",
            next_action=f"Begin with one of {', '.join(get_args(LookupMode))}, "
            "or name a settings file that ends in .toml.",
        )
    settings: dict[str, Any] = {"mode": mode}
    fault: FaultProfile | None = None
    for part in filter(None, rest.split(",")):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key == _FAULT:
            fault = _fault(value, text)
        elif key in _KEYS and _KEYS[key] not in settings:
            settings[_KEYS[key]] = value
        else:
            problem = "names twice" if key in _KEYS else "has the unknown key"
            raise InvalidInput(
                f"The variant {text!r} {problem} {key!r}.",
                next_action=f"Keys: {', '.join([*_KEYS, _FAULT])}, each once.",
            )
    return Variant(name=text, settings=_checked({"lookup": settings}, text), fault=fault)


def open_variant(
    base: KnowledgeBase,
    variant: Variant,
    *,
    opened: type[KnowledgeBase] = KnowledgeBase,
    state_dir: Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> KnowledgeBase:
    """The knowledge base that answers for a variant: same notes, the variant's settings, no budget.

    It shares the index and the embedder of `base` unless the variant has another `[embedding]` or
    `[knowledge]`: then its own index lies below the state folder and is brought up to date here.
    Close it after use.
    """
    given = base.settings.model_dump(exclude_unset=True)
    merged = _merge(given, variant.settings)
    # A budget would cut what is measured.
    merged = _merge(merged, {"lookup": {"l1_timeout": PATIENCE_SECONDS, "budget": None}})
    where = base.location.config.parent if base.location.config else base.location.root
    merged["state_dir"] = state_dir or base.location.state_dir
    embedded = {"chroma": {"url": None}}  # an index of its own is not the one that hosts share
    settings, location = load_settings(where, merged | (embedded if state_dir else {}))
    same_model = settings.embedding == base.settings.embedding
    if same_model and settings.knowledge == base.settings.knowledge:
        return opened(settings, location, embedder=base.embedder)
    if state_dir is not None:
        return opened(settings, location)
    merged["state_dir"] = base.location.state_dir / "variants" / indexing_digest(settings)
    own_settings = load_settings(where, merged | embedded)
    own = opened(*own_settings, embedder=base.embedder if same_model else None)
    own.reindex(progress=progress)
    return own


def _fault(value: str, text: str) -> FaultProfile:
    for profile in get_args(FaultProfile):
        if value == profile:
            return profile  # type: ignore[no-any-return]
    raise InvalidInput(
        f"The variant {text!r} has the unknown fault {value!r}.",
        next_action=f"Faults: {', '.join(get_args(FaultProfile))}.",
    )


def _from_file(name: str, path: Path) -> Variant:
    try:
        data = read_toml(path)
    except ValueError as error:
        raise InvalidInput(
            f"The settings file {path} of the variant {name!r} cannot be read: {error}.",
            next_action="Name a TOML file with the tables of knowledge.toml.",
        ) from error
    if foreign := [key for key in _NOT_OF_A_VARIANT if key in data]:
        raise InvalidInput(
            f"The settings file {path} sets {foreign[0]!r}, which a variant cannot change.",
            next_action="Leave out: " + ", ".join(_NOT_OF_A_VARIANT) + ".",
        )
    return Variant(name=name, settings=_checked(data, str(path)))


def _checked(settings: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """The settings with typed values, only those that were given."""
    try:
        checked = LookupSettings.model_validate(settings)
    except ValidationError as error:
        raise InvalidInput(
            f"The variant {origin!r} is not usable: {explain(error)}.",
            next_action="Correct it; the settings are those of knowledge.toml.",
        ) from None
    return checked.model_dump(mode="json", exclude_unset=True)


def _merge(settings: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the tables of `over` laid key by key over their own."""
    merged = dict(settings)
    for name, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = {**merged[name], **value} if both else value
    return merged

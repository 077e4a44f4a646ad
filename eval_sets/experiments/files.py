"""The files of an experiment: what is to be run, and the result of each set and variant."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eval_sets.errors import Problem, SetError
from eval_sets.metrics import DEFAULT_METRICS, measure
from eval_sets.schema import explain
from eval_sets.types import Split, Variant
from eval_sets.variants import parse_variant
from retrieval.errors import InvalidInput
from retrieval.reading import read_regular, read_toml, read_yaml

RESULT_SCHEMA = "1"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExperimentFile(_Strict):
    """What an experiment's file says."""

    name: str = Field(min_length=1)
    description: str = ""
    sets: tuple[str, ...] = Field(min_length=1, description="names, or folders from the file on")
    variants: tuple[str, ...] = Field(min_length=1, description="as `eval run --variants` has them")
    metrics: tuple[str, ...] = Field(default=DEFAULT_METRICS, min_length=1)
    split: Split | None = None
    seed: int = 0
    resamples: int = Field(default=10_000, ge=100)
    results: str = Field(default="results", description="folder of the results, from the file on")

    @model_validator(mode="after")
    def _each_once(self) -> "ExperimentFile":
        for name in ("sets", "variants", "metrics"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name}: something is named twice")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment that can be run."""

    path: Path
    about: ExperimentFile
    variants: tuple[Variant, ...]

    @property
    def results(self) -> Path:
        """The folder of the results, whether or not it exists."""
        return self.path.parent / self.about.results


class Fingerprints(_Strict):
    """Everything that can change a figure: equal fingerprints, equal figures."""

    cases: str
    notes: str
    config: str
    index: str | None
    embedding: str | None
    code: str
    libraries: dict[str, str]


class Figures(_Strict):
    """One metric: its mean with the denominator and the interval, and each query's score."""

    value: float | None
    n: int
    of: int
    low: float | None
    high: float | None
    by_case: dict[str, float | None]


class StoredResult(_Strict):
    """The result of one variant on one set."""

    schema_version: str = RESULT_SCHEMA
    experiment: str
    set: str
    variant: str
    settings: dict[str, Any]
    split: Split | None
    seed: int
    resamples: int
    created_at: str
    """UTC, ISO 8601."""
    fingerprints: Fingerprints
    queries: int
    failed: tuple[str, ...]
    """Cases whose lookup crashed; they score 0."""
    metrics: dict[str, Figures]


def load_experiment(path: Path | str) -> Experiment:
    """The experiment in a YAML file, or in a TOML file whose name ends so.

    Raises `SetError` with everything that is wrong: no such file, unknown keys, a metric that does
    not exist; and `InvalidInput` for a variant.
    """
    path = Path(path)
    try:
        data = read_toml(path) if path.suffix == ".toml" else read_yaml(path, typed=True)
        about = ExperimentFile.model_validate(data)
    except ValidationError as error:  # a `ValueError` too
        raise _unusable(path, explain(error)) from None
    except ValueError as error:
        raise _unusable(path, f"cannot be read: {error}") from None
    for metric in about.metrics:
        measure(metric)
    variants = tuple(_variant(text, path) for text in about.variants)
    return Experiment(path=path, about=about, variants=variants)


def load_results(folder: Path) -> tuple[tuple[StoredResult, ...], tuple[Problem, ...]]:
    """The results below a folder, oldest first, and the files that are none."""
    found: list[StoredResult] = []
    problems: list[Problem] = []
    for path in sorted(folder.glob("*/*.json")):
        try:
            found.append(StoredResult.model_validate_json(read_regular(path)))
        except ValueError as error:
            reason = explain(error) if isinstance(error, ValidationError) else str(error)
            problems.append(Problem(file=str(path), message=reason))
    found.sort(key=lambda result: (result.created_at, result.set, result.variant))
    return tuple(found), tuple(problems)


def _variant(text: str, path: Path) -> Variant:
    """The variant; the file of one that names a file lies beside the experiment's."""
    name, separator, file = text.rpartition("=")
    if not text.endswith(".toml") or (":" in name and separator):
        return parse_variant(text)
    label = name if separator else Path(file).stem
    return parse_variant(f"{label}={path.parent / file}")


def _unusable(path: Path, message: str) -> InvalidInput:
    return SetError(str(path), [Problem(file=path.name, message=message)])

"""Thresholds of `relevance` that labelled queries gave for one index, kept beside it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrieval.atomic import write_atomic
from retrieval.relevance import Thresholds
from retrieval.settings import LookupSettings
from retrieval.types import ErrorInfo

FILE_NAME = "calibration.json"
_AGAIN = "Run `lookup-knowledge eval calibrate`, or remove the file."

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]


class CalibrationFile(BaseModel):
    """`calibration.json` of a state folder."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    schema_version: Literal["1"] = "1"
    created_at: str
    """UTC, ISO 8601."""
    labelled_set: str
    """Name and digest of the labelled queries."""
    answerable: int
    unanswerable: int
    embedding: str
    """Digest of the embedder."""
    settings: str
    """`indexing_digest` of the settings."""
    index: str
    """Digest of the index."""
    bias: float
    cosine_weight: Weight
    coverage_weight: Weight
    overlap_weight: Weight = 0.0
    strong: Share
    moderate: Share
    semantic_floor: Annotated[float, Field(ge=-1, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration:
    """What a lookup takes from a calibration."""

    thresholds: Thresholds
    """`calibrated` only where the index is still the one that was measured."""
    semantic_floor: float

    def fingerprint(self, config: str) -> str:
        """A digest of the settings that changes with the thresholds as well."""
        return hashlib.sha256(f"{config} {self!r}".encode()).hexdigest()[:12]


def indexing_digest(settings: LookupSettings) -> str:
    """Short digest of the settings that a calibration depends on: `[knowledge]`, `[embedding]`.

    Those of `[lookup]` may differ from call to call, and the thresholds hold for all of them.
    """
    return LookupSettings(knowledge=settings.knowledge, embedding=settings.embedding).digest()


def calibration_path(state_dir: Path) -> Path:
    return state_dir / FILE_NAME


def read_calibration(
    state_dir: Path, *, embedding: str, settings: str, index: str
) -> tuple[StoredCalibration | None, ErrorInfo | None]:
    """The calibration, and a warning where there is one that cannot be used.

    It is left aside when it was made for another embedder or other settings, and when the file is
    damaged. After notes changed it still holds, but does not count as calibrated on this index.
    """
    path = calibration_path(state_dir)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, _ignored(f"{path} cannot be read: {error.strerror}")
    try:
        file = CalibrationFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return None, _ignored(f"{path} is damaged{f' at {where}' if where else ''}: {first['msg']}")
    if file.embedding != embedding:
        return None, _ignored("it was made for another embedding model")
    if file.settings != settings:
        return None, _ignored("it was made with other [knowledge] or [embedding] settings")
    thresholds = Thresholds(
        bias=file.bias,
        cosine_weight=file.cosine_weight,
        coverage_weight=file.coverage_weight,
        overlap_weight=file.overlap_weight,
        strong=file.strong,
        moderate=file.moderate,
        calibrated=file.index == index,
    )
    return StoredCalibration(thresholds=thresholds, semantic_floor=file.semantic_floor), None


def write_calibration(state_dir: Path, file: CalibrationFile) -> Path:
    """Stores the calibration in one step; lookups see it from the next one on."""
    path = calibration_path(state_dir)
    write_atomic(path, file.model_dump_json(indent=2) + "\n")
    return path


def calibration_stamp(state_dir: Path) -> tuple[int, int] | None:
    """A value that changes when the file does; None without one."""
    try:
        stat = calibration_path(state_dir).stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino


def _ignored(why: str) -> ErrorInfo:
    return ErrorInfo(
        code="calibration_ignored",
        message=f"The stored calibration is not used: {why}.",
        next_action=_AGAIN,
    )

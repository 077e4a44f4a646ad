"""The file of the benchmark: one section a part, each with its machine, plan and targets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from eval_sets.bench.types import Part
from eval_sets.schema import explain
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput

RESULTS_NAME = "bench.json"


class Section(BaseModel):
    """What one part found, and when, where and how large it was run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    found: dict[str, Any]
    """The part's own figures; `ratios` holds those that targets speak of. With `skipped` alone, why
    the part was not run."""
    plan: dict[str, Any]
    machine: dict[str, Any]
    seconds: float


class Results(BaseModel):
    """All parts that were run, each with its own machine: they need not be run together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: str = "1"
    parts: dict[Part, Section] = {}

    def with_section(self, part: Part, section: Section) -> "Results":
        """The same with this part anew."""
        return self.model_copy(update={"parts": {**self.parts, part: section}})


def load_results(path: Path) -> Results:
    """The results in the file; none when there is no file.

    Raises `InvalidInput` for a file that holds something else.
    """
    if not path.exists():
        return Results()
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        reason = str(error.strerror)
    except ValidationError as error:
        reason = explain(error)
    raise InvalidInput(
        f"{path} is no file of this benchmark: {reason}",
        next_action="Name another folder with --out, or move the file away.",
    )


def save_section(path: Path, part: Part, section: Section) -> Results:
    """Puts the section into the file, leaves the others as they are, and gives all."""
    results = load_results(path).with_section(part, section)
    document: Mapping[str, Any] = results.model_dump(mode="json")
    write_atomic(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return results

"""What bytes of a labelled set must look like: `set.yaml` and one line of `cases.jsonl`."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from eval_sets.types import Case, ExpectFilter, Split
from retrieval.shown import show
from retrieval.text import is_blank

MAX_GRADE = 10
_TOO_DEEP = "it nests too deeply"


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


Source = Annotated[str, Field(min_length=1), AfterValidator(_nfc)]
Grade = Annotated[int, Field(ge=0, le=MAX_GRADE)]


class SetFile(BaseModel):
    """`set.yaml`; all values are text as written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    knowledge: str = Field(
        default="knowledge",
        description="folder of the notes or of a knowledge.toml, relative or absolute; "
        "or bundled:NAME for the notes of a bundled set",
    )
    language: str = ""
    licence: str = ""
    revision: str = ""
    description: str = ""
    how_labelled: str = ""
    source: str = ""


class CaseLine(BaseModel):
    """One line of `cases.jsonl`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str = Field(min_length=1)
    query: str
    relevant: dict[Source, Grade] = {}
    exclude: Annotated[tuple[Source, ...], Field(strict=False)] = ()
    stratum: str = ""
    split: Split = "test"
    expected_category: Annotated[str, Field(min_length=1)] | None = None
    expect_filter: ExpectFilter = "any"
    expect_no_answer: bool = False
    origin: str = ""
    judged_by: str = ""
    judged_at: str = ""
    note: str = ""

    @field_validator("id")
    @classmethod
    def _id_is_plain(cls, value: str) -> str:
        if value != value.strip() or not value.isprintable():
            raise ValueError("an id has no blanks around it and no control characters")
        return value

    @field_validator("query")
    @classmethod
    def _query_asks_something(cls, value: str) -> str:
        if is_blank(value):
            raise ValueError("the query is empty: it holds no letter or digit")
        return value

    @model_validator(mode="after")
    def _labels_agree(self) -> Self:
        positives = {source for source, grade in self.relevant.items() if grade}
        if self.expect_no_answer and positives:
            raise ValueError("expect_no_answer is true, but there are relevant sources")
        if both := sorted(set(self.relevant) & set(self.exclude)):
            raise ValueError(f"{both[0]!r} is both judged and excluded")
        if len(set(self.exclude)) != len(self.exclude):
            raise ValueError("a source is excluded twice")
        return self


def parse_case(text: str) -> Case:
    """The case in one line of JSON.

    Raises `ValueError` with a message for the author: no JSON object, a key that is there twice,
    an unknown field, or a value that is not usable.
    """
    try:
        data = json.loads(text, object_pairs_hook=_no_repeats)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return case_from(data)


def case_from(data: object) -> Case:
    """The case in a mapping of the fields of `CaseLine`; raises `ValueError` as `parse_case`."""
    try:
        line = CaseLine.model_validate(data)
    except ValidationError as error:
        try:
            message = explain(error)
        except RecursionError:  # it shows the value
            message = _TOO_DEEP
        raise ValueError(message) from None
    return Case(**{name: getattr(line, name) for name in CaseLine.model_fields})


def case_fields(case: Case) -> dict[str, Any]:
    """The fields of a case as JSON-safe values, in the order of `CaseLine`."""
    fields = {name: getattr(case, name) for name in CaseLine.model_fields}
    return fields | {"relevant": dict(case.relevant), "exclude": list(case.exclude)}


def explain(error: ValidationError) -> str:
    """All that a validation found, in one line."""
    return "; ".join(_one(detail) for detail in error.errors())


def _one(detail: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"] if part != "[key]")
    if detail["type"] == "extra_forbidden":
        return f"unknown field '{where}'"
    message = str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] == "missing":
        return f"'{where}' is missing"
    if not where:
        return message
    if detail["type"] == "value_error":
        return f"{where}: {message}"
    return f"{where}: {message}, but it is {show(detail['input'])}"


def _no_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} is there twice")
    return found

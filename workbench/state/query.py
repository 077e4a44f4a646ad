"""The page Query: names of its widgets, and the URL that says what it shows.

`?q=…&mode=…&filter=…&l1=…&top_k=…&min_score=…` say the lookup; `fault` and repeated
`where=field=value` follow where they are set. `compare=1` adds a second lookup whose parameters
have the prefix `b.`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from retrieval.faults import Fault
from retrieval.options import MOST_BLOCKS
from retrieval.types import FilterMode, L1Mode, LookupMode
from workbench.services.lookups import LookupChoice

TEXT = "query.text"
RUN = "query.run"
COMPARE = "query.compare"
MORE_BLOCKS = "query.more_blocks"
WHY_SOURCE = "query.why_source"
JUDGE_SET = "query.judge.set"
JUDGE_NEW = "query.judge.new_set"
JUDGE_CREATE = "query.judge.create"
JUDGE_BY = "query.judge.by"
JUDGE_MISSING = "query.judge.missing"
JUDGE_ADD = "query.judge.add"
JUDGE_NONE = "query.judge.no_answer"
EXAMPLES = ("query.example.1", "query.example.2", "query.example.3")

JUDGE_FAILED = "query.judge.failed"
"""Session value: why the last judgement was not written."""
JUDGE_WANTED = "query.judge.wanted"
"""Session value: the set that was just made, to be chosen."""
WHY_KEPT = "query.why_kept"
"""Session value: by side, the last note that was followed, and through which answer."""
KEPT = "query.kept"
"""Session value: the last `QueryState`, which outlives the page's widgets."""
URL_SEEN = "query.url_seen"
"""Session value: the URL's parameters as they were last read or written."""
PROBLEMS = "query.problems"
"""Session value: what the URL asked for and could not be used."""
RUNS = "query.runs"
"""Session value: the user's latest lookups, by what was asked."""

BY_PARAMETER = "by"
"""URL parameter: who judges. It is no part of what is looked up."""
NONE = "none"
"""What the URL says for no least cosine."""
SIDES = ("a", "b")
FIELDS = ("mode", "filter_mode", "l1_mode", "top_k", "min_score", "fault", "filters")


def side_key(side: str, name: str) -> str:
    """The key of one side's widget for a field of `LookupChoice`."""
    return f"query.{side}.{name}"


def near_key(side: str) -> str:
    """The key of the fold with a side's near matches."""
    return f"query.{side}.fold_near"


def block_key(action: str, source: str) -> str:
    """The key of a widget that belongs to one note."""
    return f"query.block.{action}.{source}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryState:
    """What the page shows: the query, its settings, and those to compare with."""

    query: str = ""
    choice: LookupChoice = field(default_factory=LookupChoice)
    other: LookupChoice = field(default_factory=LookupChoice)
    """The settings of the second side, also while it is not shown."""
    compare: bool = False


Params = Mapping[str, Sequence[str]]
"""The URL's parameters; each may be repeated."""

_WORDS = {"mode": "mode", "filter_mode": "filter", "l1_mode": "l1"}
_ALLOWED: dict[str, tuple[str, ...]] = {
    "mode": get_args(LookupMode),
    "filter_mode": get_args(FilterMode),
    "l1_mode": get_args(L1Mode),
    "fault": get_args(Fault),
}


def to_url(state: QueryState) -> dict[str, list[str]]:
    """The parameters that reproduce the page; none while nothing is asked."""
    if not state.query.strip():
        return {}
    url = {"q": [state.query], **_choice_to_url(state.choice, "")}
    if state.compare:
        url |= {"compare": ["1"], **_choice_to_url(state.other, "b.")}
    return url


def from_url(params: Params, defaults: LookupChoice) -> tuple[QueryState, tuple[str, ...]]:
    """The state that the parameters ask for, and a sentence for each that cannot be used.

    What is missing or unusable is as the defaults say. Unknown parameters are left alone: others
    may have added them on the way.
    """
    problems: list[str] = []
    choice = _choice_from_url(params, "", defaults, problems)
    state = QueryState(
        query=_last(params, "q") or "",
        choice=choice,
        other=_choice_from_url(params, "b.", choice, problems),
        compare=_last(params, "compare") == "1",
    )
    return state, tuple(problems)


def _choice_to_url(choice: LookupChoice, prefix: str) -> dict[str, list[str]]:
    url = {prefix + word: [getattr(choice, name)] for name, word in _WORDS.items()}
    url[f"{prefix}top_k"] = [str(choice.top_k)]
    least = choice.min_score
    url[f"{prefix}min_score"] = [NONE if least is None else f"{least:g}"]
    if choice.fault is not None:
        url[f"{prefix}fault"] = [choice.fault]
    where = [f"{key}={value}" for key, values in choice.filters.items() for value in values]
    if where:
        url[f"{prefix}where"] = where
    return url


def _choice_from_url(
    params: Params, prefix: str, defaults: LookupChoice, problems: list[str]
) -> LookupChoice:
    found: dict[str, Any] = {}
    for name, word in (*_WORDS.items(), ("fault", "fault")):
        given = _last(params, prefix + word)
        if given is None:
            continue
        if given in _ALLOWED[name]:
            found[name] = given
        else:
            allowed = ", ".join(_ALLOWED[name])
            problems.append(f"{prefix}{word}={given} is not one of {allowed}.")
    top_k = _number(params, f"{prefix}top_k", int, (1, MOST_BLOCKS), problems)
    found |= {} if top_k is None else {"top_k": top_k}
    if _last(params, f"{prefix}min_score") == NONE:
        found["min_score"] = None
    else:
        least = _number(params, f"{prefix}min_score", float, (-1, 1), problems)
        found |= {} if least is None else {"min_score": least}
    filters: dict[str, tuple[str, ...]] = {}
    for condition in params.get(f"{prefix}where", ()):
        key, equals, value = condition.partition("=")
        if key.strip() and equals and value.strip():
            filters[key] = tuple(dict.fromkeys((*filters.get(key, ()), value)))
        else:
            problems.append(f"{prefix}where={condition} is not of the form field=value.")
    # A link without filters or fault means none, whatever the side before it has.
    return replace(defaults, **{"fault": None, **found, "filters": filters})


def _number(
    params: Params,
    name: str,
    kind: Callable[[str], float],
    bounds: tuple[int, int],
    problems: list[str],
) -> float | None:
    given = _last(params, name)
    if given is None:
        return None
    try:
        value = kind(given)
    except ValueError:
        value = float("nan")
    if bounds[0] <= value <= bounds[1]:
        return value
    problems.append(f"{name}={given} is not a number from {bounds[0]} to {bounds[1]}.")
    return None


def _last(params: Params, name: str) -> str | None:
    values = params.get(name, ())
    return values[-1] if values else None

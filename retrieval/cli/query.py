"""`lookup-knowledge query`: one lookup."""

import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from retrieval.cli.common import emit, open_knowledge, progress_bar, shared_options
from retrieval.errors import EmbeddingError, IndexUnavailable, InvalidInput, MissingExtra
from retrieval.faults import Fault
from retrieval.text import is_blank
from retrieval.types import ErrorInfo, FilterMode, L1Mode, LookupMode, LookupResult

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

_CONDITION = re.compile(r"(?P<key>[^=!]+?)\s*(?P<op>!?=)\s*(?P<value>.+)", re.DOTALL)
_EXIT_CODES = {"refused": 2, "error": 1}

Filters = dict[str, dict[str, str | list[str]]]


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--mode", type=click.Choice(get_args(LookupMode)), help="Layers to ask.")
@click.option(
    "--filter-mode",
    type=click.Choice(get_args(FilterMode)),
    help="What the category that L0 derives does to L1.",
)
@click.option("--l1-mode", type=click.Choice(get_args(L1Mode)), help="How L1 searches.")
@click.option("--category", help="Only notes of this category.")
@click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only notes whose frontmatter says so. KEY=A,B: one of them; KEY!=VALUE: not that. "
    "Repeat for more.",
)
@click.option("--top-k", type=int, help="Notes in the answer at most.")
@click.option("--min-score", type=float, help="Least cosine of an L1 passage.")
@click.option("--budget", type=int, help="Tokens of the answer at most.")
@click.option("--explain", is_flag=True, help="Show how the answer came about.")
@click.option("--why", metavar="SOURCE", help="Say what became of this note, not the answer.")
@click.option("--fault", type=click.Choice(get_args(Fault)), help="Break L1 on purpose.")
@click.option("--no-record", is_flag=True, help="Do not record this lookup.")
@click.option("--no-index", is_flag=True, help="Do not build a missing index: L0 only.")
@shared_options
def query(
    *,
    text: tuple[str, ...],
    category: str | None,
    conditions: tuple[str, ...],
    explain: bool,
    why: str | None,
    no_record: bool,
    no_index: bool,
    kb: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Look up TEXT and show the evidence.

    The first query of a knowledge base builds its index.

    With --why, the lookup is run to say which stage lost the note SOURCE, or at which rank it is,
    and what would bring it in. It is not recorded. With --json the answer has the key `why`.

    \b
    Examples:
      lookup-knowledge query "How long do refunds take?"
      lookup-knowledge query "vpn split tunnel" --category network --explain
      lookup-knowledge query token --where lang=en,de --where status!=draft --json
      lookup-knowledge query "refund time" --why billing/chargebacks.md
    """
    # What is no UTF-8 on the command line arrives as lone surrogates.
    asked = " ".join(text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    options["filters"] = parse_filters(category, conditions) or None
    with open_knowledge(kb) as knowledge:
        # Where the log goes to stderr, each line there is JSON.
        if kb is None and not as_json and knowledge.settings.logs.format == "off":
            _name_default()
        warning = None
        wants_l1 = options["mode"] != "l0" and options["fault"] != "l1-off"
        if wants_l1 and not (no_index or is_blank(asked) or knowledge.has_index()):
            warning = _build_index(knowledge)
        if why is not None:
            return _show_why(knowledge, asked, why, options, as_json=as_json)
        result = _look_up(knowledge, asked, record=not no_record, options=options)
    if warning is not None:
        result = replace(result, warnings=(*result.warnings, warning))
    if as_json:
        emit(result.to_dict())
    else:
        from retrieval.console import Page, show_result

        show_result(result, Page(), explain=explain)
    return _EXIT_CODES.get(result.outcome, 0)


def _name_default() -> None:
    """Says on stderr that the bundled notes answer, where nobody chose others."""
    from retrieval.bundled import default_knowledge
    from retrieval.console import Page

    here = Path.cwd()
    if default_knowledge(here) != here:
        Page(sys.stderr).line(("From the bundled notes; for others: --kb FOLDER", "dim"))


def parse_filters(category: str | None, conditions: Iterable[str]) -> Filters:
    """The filters that `--category` and `--where` state, as `lookup` takes them.

    Raises `InvalidInput` for a condition that cannot be read or that is stated twice.
    """
    filters: Filters = {}
    if category is not None:
        filters["category"] = {"eq": category}
    for condition in conditions:
        parts = _CONDITION.fullmatch(condition.strip())
        listed = parts["value"].split(",") if parts else []
        values = [value.strip() for value in listed if value.strip()]
        if parts is None or not values:
            raise InvalidInput(
                f"The condition '{condition}' cannot be read.",
                next_action="Write key=value, key=a,b or key!=value.",
            )
        many = len(values) > 1
        operator = ("nin" if many else "ne") if parts["op"] == "!=" else ("in" if many else "eq")
        key = parts["key"].strip()
        stated = filters.setdefault(key, {})
        same = {"eq", "in"} if operator in ("eq", "in") else {"ne", "nin"}
        if stated.keys() & same:
            raise InvalidInput(
                f"The filter field '{key}' is stated twice.",
                next_action="Name all values at once: key=a,b.",
            )
        stated[operator] = values if many else values[0]
    return filters


def _build_index(knowledge: "KnowledgeBase") -> ErrorInfo | None:
    """None, or why there is no index; L0 answers then."""
    try:
        with progress_bar() as progress:
            knowledge.reindex(progress=progress)
    except (IndexUnavailable, EmbeddingError, MissingExtra) as error:
        return error.info()
    return None


def _show_why(
    knowledge: "KnowledgeBase", asked: str, source: str, options: dict[str, Any], *, as_json: bool
) -> int:
    from retrieval.why import explain_absence

    absence = explain_absence(knowledge, asked, source, **options)
    if as_json:
        emit({**absence.result.to_dict(), "why": absence.to_dict()})
    else:
        from retrieval.console import Page
        from retrieval.console.why import show_absence

        show_absence(absence, Page())
    return 0


def _look_up(
    knowledge: "KnowledgeBase", asked: str, *, record: bool, options: dict[str, Any]
) -> LookupResult:
    if not record:
        return knowledge.lookup(asked, **options)
    from retrieval.tools.lookup import lookup_knowledge

    return lookup_knowledge(asked, kb=knowledge, caller="cli", **options)

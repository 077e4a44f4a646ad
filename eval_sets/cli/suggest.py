"""`lookup-knowledge eval suggest`: edits for the findings of the lint, tried on queries."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import (
    asking_options,
    bring_up_to_date,
    find_set,
    notes_options,
    open_notes,
    set_argument,
)
from retrieval.types import Json

if TYPE_CHECKING:
    from eval_sets.labelling.effects import Effect
    from eval_sets.labelling.suggestions import Suggestion
    from retrieval.console import Page

SHOWN = 5


@click.command()
@set_argument
@click.option("--source", "sources", multiple=True, help="Only this note; may be repeated.")
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Only this rule; repeat.")
@asking_options
@notes_options
def suggest(
    name: str,
    *,
    sources: tuple[str, ...],
    rules: tuple[str, ...],
    logged: int,
    metric: str,
    variant: str | None,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Suggest keywords to add or remove for what `lint` found, tried on the queries of SET.

    Each suggestion says which queries it would help and which it would break. Nothing is saved.

    \b
    Examples:
      lookup-knowledge eval suggest starter --rule ambiguous_keyword
      lookup-knowledge eval suggest sets/handbook --source access/badge.md --logged 200 --json
    """
    from eval_sets.labelling.candidates import logged_cases
    from eval_sets.labelling.effects import AS_SET
    from eval_sets.labelling.suggestions import suggest_edits
    from eval_sets.variants import parse_variant
    from retrieval.cli.common import emit, progress_bar
    from retrieval.knowledge.lint import check_rule_names, lint
    from retrieval.knowledge.lint.use import asked_queries

    check_rule_names(rules)
    eval_set = find_set(name, kb)
    chosen = AS_SET if variant is None else parse_variant(variant)
    with open_notes(eval_set, kb) as knowledge:
        for source in sources:
            knowledge.get(source)  # raises what there is to say
        bring_up_to_date(knowledge, [chosen])
        found = lint(
            knowledge.knowledge,
            settings=knowledge.settings.knowledge,
            ignore=knowledge.settings.lint.ignore,
            queries=asked_queries(knowledge.records().list(limit=None)) if logged else (),
        )
        findings = [
            finding
            for finding in found
            if (not rules or finding.rule in rules) and (not sources or finding.source in sources)
        ]
        cases = [*eval_set.cases, *logged_cases(knowledge, limit=logged, known=eval_set.cases)]
        with progress_bar() as progress:
            suggestions = list(
                suggest_edits(
                    knowledge, findings, cases, metric=metric, variant=chosen, progress=progress
                )
            )
    if as_json:
        emit(
            {
                "findings": len(findings),
                "queries": len(cases),
                "metric": metric,
                "suggestions": [_document(suggestion) for suggestion in suggestions],
            }
        )
        return
    from retrieval.console import Page

    page = Page()
    page.line(
        f"{len(findings)} findings, {len(suggestions)} suggestions tried on {len(cases)} queries"
    )
    for suggestion in suggestions:
        _show(suggestion, page)


def _document(suggestion: "Suggestion") -> Json:
    finding, effects = suggestion.finding, suggestion.effects
    return {
        "rule": finding.rule,
        "source": finding.source,
        "message": finding.message,
        "add": list(suggestion.add),
        "remove": list(suggestion.remove),
        "asked": effects.asked,
        "before": effects.before.value,
        "after": effects.after.value,
        "gained": [_query(effect) for effect in suggestion.gained],
        "broken": [_query(effect) for effect in suggestion.broken],
    }


def _query(effect: "Effect") -> Json:
    return {
        "id": effect.case.id,
        "query": effect.case.query,
        "change": effect.change,
        "match": effect.match,
        "labelled": effect.case.judged,
    }


def _show(suggestion: "Suggestion", page: "Page") -> None:
    finding = suggestion.finding
    verb, terms = ("add", suggestion.add) if suggestion.add else ("remove", suggestion.remove)
    page.blank()
    page.line((finding.source, "bold"), f"  {finding.rule}", hang=2)
    page.line(
        f"{verb} '{terms[0]}': helps {len(suggestion.gained)} and breaks "
        f"{len(suggestion.broken)} of the {suggestion.effects.asked} queries that share a word "
        "with it",
        indent=4,
        hang=2,
    )
    for sign, colour, effects in (
        ("+", "green", suggestion.gained),
        ("-", "red", suggestion.broken),
    ):
        for effect in effects[:SHOWN]:
            told = "not labelled" if effect.change is None else f"{effect.change:+.3f}"
            match = f", L0 match {effect.match}" if effect.match else ""
            page.line((sign, colour), f" {effect.case.query}  ({told}{match})", indent=4, hang=2)
        if len(effects) > SHOWN:
            page.line(f"  and {len(effects) - SHOWN} more", indent=4)

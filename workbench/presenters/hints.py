"""L0's hints: the query with its matched words, what they name, and the notes that they match."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from retrieval.types import L0Match, LookupResult, NearMatch, TermHit
from workbench.presenters.markup import chip, clip, highlight, joined, tag
from workbench.presenters.numbers import counted
from workbench.presenters.words import query_spans

MATCHES_SHOWN = 8
HINTS_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HintsPanel:
    """What is drawn of L0."""

    query: Markup
    """The query, matched words marked."""
    facts: Markup
    """Titles, keywords, domains and entities as rows of chips; empty without any."""
    matches: Markup
    near_label: str
    """Empty when there is no near match."""
    near: Markup


def present_hints(result: LookupResult) -> HintsPanel:
    """The panel for a result; says so when no word of the query is a term of a note."""
    hints = result.l0_hints
    rows = [
        _row("Titles", hints.titles),
        _row("Keywords", hints.keywords),
        _row("Domains", hints.domains, tone="accent"),
        _row("Entities", hints.entities),
    ]
    near = hints.near_matches
    return HintsPanel(
        query=tag("div", highlight(result.query, query_spans(result)), css="kw-query"),
        facts=joined(rows),
        matches=_matches(result),
        near_label=f"{counted(len(near), 'near match', 'near matches')}, which never route"
        if near
        else "",
        near=_list(_near(match) for match in near),
    )


def _row(name: str, values: Sequence[str], tone: str = "") -> Markup:
    if not values:
        return Markup()
    chips = [chip(clip(value, 60), tone=tone, title=value) for value in values[:HINTS_SHOWN]]
    rest = len(values) - len(chips)
    more = tag("span", f"+{rest}", css="kw-muted") if rest > 0 else ""
    return tag("div", tag("span", name, css="kw-label"), tag("div", *chips, more), css="kw-row")


def _matches(result: LookupResult) -> Markup:
    hints = result.l0_hints
    if not hints.matches:
        said = "No title, keyword or entity of a note stands in the query."
        if result.filter.conditions:
            said = "No title, keyword or entity of the notes you ask for stands in the query."
        return tag("p", said, css="kw-muted")
    items = [_match(match) for match in hints.matches[:MATCHES_SHOWN]]
    items += [
        tag("li", tag("mark", hit.term), " is a category: it adds a domain, no match")
        for hit in dict.fromkeys(hints.category_hits)
    ]
    rest = hints.matches_total - min(len(hints.matches), MATCHES_SHOWN)
    if rest > 0:
        items.append(
            tag("li", f"and {counted(rest, 'more match', 'more matches')}", css="kw-muted")
        )
    head = tag("div", counted(hints.matches_total, "match", "matches"), css="kw-label")
    return joined([head, _list(items)])


def _match(match: L0Match) -> Markup:
    where = f" in {', '.join(match.categories)}" if match.categories else ""
    return tag(
        "li",
        tag("span", match.title, css="kw-strong", title=match.source + where),
        tag("div", joined([_hit(hit) for hit in _distinct(match.hits)], ", "), css="kw-muted"),
    )


def _hit(hit: TermHit) -> str:
    return f"{hit.field} \u2018{clip(hit.term, 60)}\u2019"


def _distinct(hits: Sequence[TermHit]) -> list[TermHit]:
    return list({(hit.field, hit.term): hit for hit in hits}.values())


def _near(match: NearMatch) -> Markup:
    return tag(
        "li",
        tag("span", match.title, css="kw-strong", title=match.source),
        tag("div", match.reason, css="kw-muted"),
    )


def _list(items: Iterable[Markup]) -> Markup:
    found = list(items)
    return tag("ul", joined(found), css="kw-list") if found else Markup()

"""A replay for a terminal: a line for each call, and under it what came out otherwise."""

from typing import get_args

from retrieval.console.page import Page
from retrieval.replay import Replay, Replayed, Status

_STYLES: dict[Status, str] = {
    "same": "green",
    "reordered": "yellow",
    "changed": "yellow",
    "outcome_changed": "red",
    "not_replayed": "dim",
}
ID_SHOWN = 8


def show_replay(replay: Replay, page: Page) -> None:
    """Write the calls in their order, then how many there are of each status."""
    if not replay.calls:
        page.line("No record fits.")
        return
    for call in replay.calls:
        query = "(query not recorded)" if call.query is None else " ".join(call.query.split())
        page.line(
            (call.id[:ID_SHOWN], "cyan"),
            f"  {call.created_at:%Y-%m-%d %H:%M}  ",
            (f"{_words(call.status):<15}", _STYLES[call.status]),
            f"  {query}",
            hang=4,
        )
        for line in _differences(call):
            page.line(line, indent=10, hang=2)
    counts = [f"{replay.count(s)} {_words(s)}" for s in get_args(Status) if replay.count(s)]
    page.heading(f"{len(replay.calls)} replayed", f": {', '.join(counts)}")


def _differences(call: Replayed) -> list[str]:
    if call.reason is not None:
        return [call.reason]
    lines = []
    if call.outcome != call.outcome_now:
        lines.append(f"outcome: {call.outcome}, now {call.outcome_now}")
    if call.primary != call.primary_now:
        lines.append(f"primary: {call.primary or '–'}, now {call.primary_now or '–'}")
    lines += [f"moved: {move.source}, now {move.now}" for move in call.moved]
    if call.gained:
        lines.append(f"gained: {', '.join(call.gained)}")
    lost = [s for s in call.lost if s not in call.vanished]
    if lost:
        lines.append(f"lost: {', '.join(lost)}")
    if call.vanished:
        lines.append(f"vanished: {', '.join(call.vanished)}")
    now = call.fingerprint_now
    changed = [
        f"{name} {then or '–'}, now {getattr(now, name) or '–'}"
        for name, then in call.fingerprint.items()
        if then != getattr(now, name)
    ]
    if changed and call.status != "same":
        lines.append(f"fingerprint: {'; '.join(changed)}")
    if call.partial:
        lines.append("The record was shortened; only its first notes were compared.")
    return lines


def _words(status: Status) -> str:
    return status.replace("_", " ")

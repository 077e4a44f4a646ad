"""What the commands share: options, JSON on stdout, the knowledge base, a progress bar."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from retrieval.types import Json

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

MOST_RECORDS = 2**63 - 1
"""The largest number that a database takes."""

Progress: TypeAlias = Callable[[str, int, int], None]
Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_STAGES = {"load": "Reading notes", "embed": "Embedding passages"}
# What JSON leaves as it is and a terminal may obey, and halves of pairs that UTF-8 refuses.
_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Utf8Text(click.types.StringParamType):
    """A text that a file or a database can hold: what is not UTF-8, which arrives as lone
    surrogates, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text: str = super().convert(value, param, ctx)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("it is not UTF-8.", param, ctx)
        return text


def shared_options(command: Decorated) -> Decorated:
    """Adds `--kb` and `--json` to a command, which gets them as `kb` and `as_json`."""
    command = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(
        command
    )
    return click.option(
        "--kb",
        type=click.Path(path_type=Path),
        help="Folder with the notes or a knowledge.toml. Default: this folder if it has a "
        "knowledge.toml, else the bundled starter.",
    )(command)


def emit(document: Json) -> None:
    """Print the document on stdout, as the only thing there."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    print(_UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text), flush=True)  # noqa: T201


def open_knowledge(kb: Path | None) -> "KnowledgeBase":
    """The knowledge base that `--kb` names, or the default one.

    Logs go where its settings say, spans where the environment says.
    """
    from retrieval.cli.tracing import configure_tracing
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.logs import configure_logs

    knowledge = KnowledgeBase.open(kb, log_settings())
    configure_logs(knowledge.settings.logs)
    configure_tracing()
    return knowledge


def log_settings() -> dict[str, dict[str, str]]:
    """Settings that `lookup-knowledge --log` states."""
    context = click.get_current_context(silent=True)
    chosen = context.find_root().params.get("log") if context else None
    return {"logs": {"format": chosen}} if chosen else {}


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """A function that shows how far each stage is; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_STAGES.get(stage, stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show

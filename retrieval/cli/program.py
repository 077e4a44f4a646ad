"""The command group, and the one place where errors become messages and exit codes.

0 answered · 1 something failed · 2 the input is wrong · 3 a gate failed
"""

import logging
import os
import sys
from collections.abc import Sequence
from itertools import takewhile

import click

from retrieval.cli.common import emit
from retrieval.cli.doctor import doctor
from retrieval.cli.group import OpenGroup
from retrieval.cli.index import index
from retrieval.cli.mcp import mcp
from retrieval.cli.notes import get, lint
from retrieval.cli.query import query
from retrieval.cli.traces import traces
from retrieval.errors import InvalidInput, RetrievalError
from retrieval.types import ErrorInfo

FAILED = 1
WRONG_INPUT = 2


@click.group(
    cls=OpenGroup,
    commands={c.name or "": c for c in (query, get, index, lint, traces, mcp, doctor)},
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example:\n\n  lookup-knowledge query 'How long do refunds take?' --explain",
)
@click.version_option(package_name="knowledge-lookup-workbench")
@click.option(
    "--log", type=click.Choice(("off", "json")), help="Log to stderr, one JSON object a line."
)
def cli(log: str | None) -> None:
    """Look things up in a folder of markdown notes, and see why they were found."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name) and get its exit code.

    With `--json`, an error is printed as `{"error": {code, message, next_action}}`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in takewhile(lambda word: word != "--", given)
    _prepare_streams(as_json)
    try:
        result = cli.main(given, prog_name="lookup-knowledge", standalone_mode=False)
    except RetrievalError as error:
        return _fail(
            error.info(), WRONG_INPUT if isinstance(error, InvalidInput) else FAILED, as_json
        )
    except click.UsageError as error:
        if not as_json:
            error.show()
            return WRONG_INPUT
        path = error.ctx.command_path if error.ctx else "lookup-knowledge"
        info = ErrorInfo(
            code="usage", message=error.format_message(), next_action=f"See: {path} --help"
        )
        return _fail(info, WRONG_INPUT, as_json)
    except click.ClickException as error:
        return _fail(ErrorInfo(code="failed", message=error.format_message()), FAILED, as_json)
    except (click.Abort, KeyboardInterrupt):
        return _fail(ErrorInfo(code="interrupted", message="Interrupted."), FAILED, as_json)
    except BrokenPipeError:  # the reader, `head` for example, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _fail(ErrorInfo(code="system", message=f"{error}."), FAILED, as_json)
    return result if isinstance(result, int) else 0


def _prepare_streams(as_json: bool) -> None:
    """Characters that the terminal lacks are replaced; JSON is UTF-8 whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace", encoding="utf-8" if as_json else stream.encoding)
    if not sys.stderr.isatty():
        logging.getLogger().addHandler(logging.NullHandler())


def _fail(info: ErrorInfo, code: int, as_json: bool) -> int:
    if as_json:
        emit(
            {"error": {"code": info.code, "message": info.message, "next_action": info.next_action}}
        )
        return code
    from retrieval.console import Page
    from retrieval.console.answer import show_error

    show_error(info, Page(sys.stderr))
    return code

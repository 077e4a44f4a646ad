"""`lookup-knowledge mcp`: the knowledge base as an MCP server."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retrieval.cli.common import open_knowledge
from retrieval.cli.query import parse_filters
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

TOKEN_VARIABLE = "KNOWLEDGE_MCP_TOKEN"


@click.command()
@click.option("--http", "over_http", is_flag=True, help="Streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind to.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help=f"File with the bearer token that clients send. Else: the variable {TOKEN_VARIABLE}.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="A further Host header to answer to, behind a proxy for example.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="A web page's origin that may ask. Default: this server's own.",
)
@click.option("--category", help="Serve only notes of this category.")
@click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="KEY=VALUE",
    help="Serve only notes whose frontmatter says so; as in query. Clients cannot lift it.",
)
@click.option("--top-k", type=int, help="Notes in an answer at most; clients cannot change it.")
@click.option("--budget", type=int, help="Tokens of an answer; clients cannot change it.")
@click.option("--no-record", is_flag=True, help="Do not record lookups.")
@click.option(
    "--kb",
    type=click.Path(path_type=Path),
    help="Folder with the notes or a knowledge.toml. Default: this folder if it has a "
    "knowledge.toml, else the bundled starter.",
)
def mcp(
    *,
    over_http: bool,
    host: str,
    port: int,
    token_file: Path | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    category: str | None,
    conditions: tuple[str, ...],
    top_k: int | None,
    budget: int | None,
    no_record: bool,
    kb: Path | None,
) -> None:
    """Serve the knowledge base to agents over MCP.

    Tools: lookup_knowledge and get_knowledge. Resources: the notes. Nothing is indexed: run
    `lookup-knowledge index` before.

    \b
    Examples:
      lookup-knowledge mcp --kb handbook
      lookup-knowledge mcp --http --port 8765 --where tenant=acme
    """
    filters = parse_filters(category, conditions) or None
    options = {"filters": filters, "top_k": top_k, "budget": budget, "record": not no_record}
    if over_http:
        token = read_token(token_file)
        with open_knowledge(kb) as knowledge:
            _serve_http(
                knowledge,
                options,
                (host, port),
                token=token,
                allowed_hosts=hosts,
                allowed_origins=origins,
            )
    else:
        _serve_stdio(kb, options)


def read_token(path: Path | None) -> str | None:
    """The token of the file, else of the environment; None where that is unset or blank.

    Raises `InvalidInput` for a file that cannot be read, and for a token that no header can carry.
    """
    if path is None:
        token = os.environ.get(TOKEN_VARIABLE, "").strip() or None
    else:
        token = _read_file(path).strip()
    if token is not None and (not token.isascii() or not token.isprintable() or " " in token):
        raise InvalidInput(
            "The token holds blanks or characters that are not ASCII.",
            next_action="Use letters and digits, such as from: openssl rand -hex 32",
        )
    return token


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInput(
            f"The token file {path} cannot be read: {why}.",
            next_action="Write the token as plain text, such as from: openssl rand -hex 32",
        ) from error


def _serve_stdio(kb: Path | None, options: dict[str, Any]) -> None:
    import anyio

    from retrieval.tools.mcp.stdio import serve_stdio, stdout_kept_clean

    with stdout_kept_clean() as wire, open_knowledge(kb) as knowledge:
        from retrieval.tools.mcp.server import build_server

        anyio.run(serve_stdio, build_server(knowledge, **options), wire)


def _serve_http(
    knowledge: "KnowledgeBase",
    options: dict[str, Any],
    address: tuple[str, int],
    *,
    token: str | None,
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
) -> None:
    from retrieval.tools.mcp.http import PATH, bind, build_app, check_exposure, serve_http
    from retrieval.tools.mcp.server import build_server

    host, port = address
    check_exposure(host, token, allowed_hosts)
    server = build_server(knowledge, **options)
    with bind(host, port) as listener:
        port = listener.getsockname()[1]
        app = build_app(
            server,
            port=port,
            host=host,
            token=token,
            allowed_hosts=allowed_hosts,
            allowed_origins=allowed_origins,
        )
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"Serving MCP at http://{shown}:{port}{PATH}", err=True)
        serve_http(app, listener)

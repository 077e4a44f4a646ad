"""`lookup-knowledge workbench`: start the app."""

import ipaddress
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from retrieval.errors import InvalidInput, MissingExtra
from workbench.launch import Launch
from workbench.theme import THEME

APP = Path(__file__).with_name("app.py")
LOOPBACK = "127.0.0.1"


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port. Default: 8501, or the next free one."
)
@click.option("--read-only", is_flag=True, help="Hide everything that writes.")
@click.option(
    "--kb",
    type=click.Path(path_type=Path),
    help="Folder with the notes or a knowledge.toml. Default: this folder if it has a "
    "knowledge.toml, else the bundled starter.",
)
def workbench(host: str, port: int | None, read_only: bool, kb: Path | None) -> None:
    """Open the workbench in a browser.

    It listens on this computer only, unless --host says otherwise; there is no login.

    \b
    Examples:
      lookup-knowledge workbench
      lookup-knowledge workbench --kb handbook --port 8600
      lookup-knowledge workbench --host 0.0.0.0 --read-only
    """
    if find_spec("streamlit") is None:
        raise MissingExtra("The workbench", "workbench")
    if kb is not None and not kb.is_dir():
        raise InvalidInput(
            f"The knowledge base {kb} is not a folder.",
            next_action="Name the folder that holds the notes or a knowledge.toml.",
        )
    if not is_loopback(host):
        click.echo(
            f"Listening on {host}: everyone who reaches it can read the notes"
            + ("." if read_only else " and write labels and settings (see --read-only)."),
            err=True,
        )
    Launch(kb=kb.resolve() if kb else None, read_only=read_only).write_to(os.environ)
    run_streamlit(["run", str(APP), *flags(host, port)])


def flags(host: str, port: int | None) -> list[str]:
    """Streamlit's options: where to listen, no reports to anyone, and the theme."""
    options = {
        "server.address": host,
        "server.fileWatcherType": "none",
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        **THEME,
    }
    if port is not None:
        options["server.port"] = str(port)
    return [f"--{name}={value}" for name, value in options.items()]


def run_streamlit(arguments: list[str]) -> None:
    """Runs Streamlit in this process until it is stopped."""
    from streamlit.web import cli

    # Streamlit shows the command line's other words to the script; none are meant for it.
    sys.argv = ["streamlit", *arguments]
    cli.main(arguments, standalone_mode=False)


def is_loopback(host: str) -> bool:
    """True when only this computer reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

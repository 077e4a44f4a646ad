"""A command group that other packages add to, without being imported before their command runs."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from retrieval.errors import RetrievalError

GROUP = "lookup_knowledge.commands"
"""Entry points of further commands: the name is the command's, the value a click command. A name
such as `traces.export` adds `export` to the group `traces`."""


class CommandLoadError(click.ClickException):
    """An installed command cannot be imported."""


class OpenGroup(click.Group):
    """Built-in commands in their order, then those that installed packages bring, by name.

    `inside` is the group's own name; the program itself has none.
    """

    def __init__(self, *arguments: Any, inside: str = "", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.inside = inside

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*self.commands, *sorted(_installed(self.inside).keys() - self.commands.keys())]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        point = _installed(self.inside).get(cmd_name)
        return None if point is None else _load(point)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [
            (
                name,
                self.commands[name].get_short_help_str(formatter.width)
                if name in self.commands
                else f"See: {ctx.command_path} {name} --help",
            )
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _installed(inside: str) -> dict[str, EntryPoint]:
    found = {}
    for point in entry_points(group=GROUP):
        group, _, name = point.name.rpartition(".")
        if group == inside:
            found[name] = point
    return found


def _load(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except RetrievalError:
        raise
    except (ImportError, AttributeError) as error:
        raise CommandLoadError(f"The command '{point.name}' cannot be loaded: {error}.") from error
    if not isinstance(command, click.Command):
        raise CommandLoadError(f"The command '{point.name}' is no click command.")
    return command

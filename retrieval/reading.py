"""Files of settings as plain data, and in one sentence why one is not usable.

A path may lead to a folder or to a pipe that nobody fills, and a file may be made to exhaust who
parses it. Every reader here raises `ValueError` with a message that ends no sentence, such as
`line 3: the key 'top_k' stands twice`, for the caller to put the file's name before.
"""

import stat
import tomllib
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

LARGEST = 2**20
"""Bytes of a file of settings; what is larger was not written by hand."""


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; a folder, a pipe or a device is refused, never waited for."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("it is a folder" if path.is_dir() else "it is no regular file")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error


def read_text(path: Path) -> str:
    """The text of a small file in UTF-8, without a byte order mark."""
    return decode(read_regular(path)).removeprefix("\ufeff")


def decode(data: bytes) -> str:
    """The text of a small file's bytes; a byte order mark stays."""
    if len(data) > LARGEST:
        raise ValueError(f"it has {len(data):,} bytes, and {LARGEST:,} are the most")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: it is not UTF-8 (byte {error.start})") from error


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    return parse_toml(read_text(path))


def parse_toml(text: str) -> dict[str, Any]:
    """The tables in a text of TOML."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it nests too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is no TOML: {error}") from error
    except ValueError as error:  # Python's own limit of digits
        raise ValueError("a number has too many digits") from error


def read_yaml(path: Path, *, typed: bool) -> Any:
    """The data of a YAML file; `typed` reads numbers and truth values, else all is text.

    A key that stands twice and an alias are refused: the first loses what was written, and a few
    lines of the second stand for more than fits into memory.
    """
    import yaml

    base: type[Any] = yaml.SafeLoader if typed else yaml.BaseLoader

    class Loader(base):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.peek_event()
                raise ValueError(f"line {_line(event)}: the alias *{event.anchor} is not read here")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            _refuse_repeats(node, self)
            return super().construct_mapping(node, deep=deep)

    try:
        return yaml.load(read_text(path), Loader=Loader)
    except RecursionError as error:
        raise ValueError("it nests too deeply") from error
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{where}it is no YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise ValueError(f"it is no YAML: {' '.join(str(error).split())}") from error


def _refuse_repeats(node: "yaml.MappingNode", loader: Any) -> None:
    seen: set[Hashable] = set()
    for name, _ in node.value:
        key = loader.construct_object(name, deep=True)
        if isinstance(key, Hashable) and key in seen:
            raise ValueError(f"line {_line(name)}: the key {key!r} stands twice")
        seen.add(key if isinstance(key, Hashable) else id(name))


def _line(marked: Any) -> int:
    return int(marked.start_mark.line) + 1

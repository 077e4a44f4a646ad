"""`cases.jsonl` as lines: the case that is edited changes, every other byte stays as it is."""

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock

from eval_sets.errors import Problem, SetChanged, SetError
from eval_sets.loading import CASES_NAME
from eval_sets.schema import CaseLine, case_from
from eval_sets.types import Case
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput
from retrieval.text import fold

LOCK_NAME = ".cases.lock"
LOCK_SECONDS = 10.0
_BOM = "\ufeff"
_STYLES = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"))
    for ascii_only in (False, True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLines:
    """The lines of one `cases.jsonl`, as they stand in the file."""

    path: Path
    lines: tuple[str, ...]
    """Split at line feeds only; joined with them they are the file."""
    token: str
    """Digest of the file's bytes: proof of what was read, for `write_lines`."""

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(position, fields) of every line that is a JSON object, unusable ones included."""
        for position, line in enumerate(self.lines):
            try:
                data = json.loads(line.removeprefix(_BOM))
            except (ValueError, RecursionError):  # ValueError: also a number of too many digits
                continue
            if isinstance(data, dict):
                yield position, data

    def positions(self, query: str) -> list[tuple[int, dict[str, Any]]]:
        """The records that ask this query, compared folded."""
        wanted = fold(query)
        return [
            (position, fields)
            for position, fields in self.records()
            if isinstance(text := fields.get("query"), str) and fold(text) == wanted
        ]

    def replace(self, position: int, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """The lines with other fields in one, written in that line's own style."""
        return self.replace_all({position: fields})

    def replace_all(self, changed: Mapping[int, Mapping[str, Any]]) -> tuple[str, ...]:
        """The lines with other fields in those at these positions."""
        return tuple(
            _restyle(line, changed[at]) if at in changed else line
            for at, line in enumerate(self.lines)
        )

    def append(self, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """The lines with one more behind the last that is not blank."""
        line = json.dumps(fields, ensure_ascii=False)
        ending = "\r" if self.lines and self.lines[0].endswith("\r") else ""
        if self.lines[-1].strip(_BOM + " \t\r"):
            return (*self.lines, line + ending, "")  # the last line had no end
        return (*self.lines[:-1], line + ending, self.lines[-1])

    def remove(self, position: int) -> tuple[str, ...]:
        """The lines without one."""
        return self.lines[:position] + self.lines[position + 1 :]


def read_lines(folder: Path) -> CaseLines:
    """The lines of a set's cases; a file that is not there yet is empty.

    Raises `SetError` when the file cannot be read as UTF-8.
    """
    path = folder / CASES_NAME
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except FileNotFoundError:
        data, text = b"", ""
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SetError(
            str(folder), [Problem(file=CASES_NAME, line=line, message="is not UTF-8")]
        ) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise SetError(str(folder), [Problem(file=CASES_NAME, message=message)]) from error
    return CaseLines(path=path, lines=tuple(text.split("\n")), token=_digest(data))


def write_lines(before: CaseLines, lines: tuple[str, ...]) -> str:
    """Puts the lines in the place of those that were read, in one step; gives the new token.

    Raises `SetChanged` when the file is not what was read any more.
    """
    check_token(read_lines(before.path.parent), before.token)
    text = "\n".join(lines)
    write_atomic(before.path, text)
    return _digest(text.encode())


def check_token(now: CaseLines, token: str | None) -> None:
    """Raises `SetChanged` when a token is given and the file is another one by now."""
    if token is not None and token != now.token:
        raise SetChanged(
            f"{now.path} was changed after it was read; nothing was written.",
            next_action="Read the set again, look at what it says now, and judge again.",
        )


@contextmanager
def editing(folder: Path) -> Iterator[CaseLines]:
    """The lines of a set that no other judge edits meanwhile.

    Raises `InvalidInput` when the folder cannot be written, `SetChanged` when another judge holds
    the set for longer than it takes to write one.
    """
    lock = filelock.FileLock(folder / LOCK_NAME, timeout=LOCK_SECONDS)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise SetChanged(
            f"Another process is writing the labels of {folder}.", next_action="Judge again."
        ) from None
    except OSError as error:
        raise InvalidInput(
            f"The labels in {folder} cannot be written: {error.strerror}.",
            next_action="Correct the permissions, or set `sets_dir` and make a set there.",
        ) from error
    try:
        yield read_lines(folder)
    finally:
        lock.release()


def checked_case(fields: Mapping[str, Any]) -> Case:
    """The case in the fields of a line, those that no schema knows left aside.

    Raises `ValueError` as `case_from`.
    """
    return case_from({key: value for key, value in fields.items() if key in CaseLine.model_fields})


def key_of(grades: Mapping[str, Any], source: str) -> str:
    """The key under which a source is written, which may be in another Unicode form."""
    nfc = unicodedata.normalize("NFC", source)
    return next((key for key in grades if unicodedata.normalize("NFC", key) == nfc), nfc)


def _restyle(line: str, fields: Mapping[str, Any]) -> str:
    """The fields as JSON with the separators, escapes and line end that the line had."""
    start = _BOM if line.startswith(_BOM) else ""
    core = line.removeprefix(_BOM).strip()
    data = json.loads(core)
    style = next((s for s in _STYLES if json.dumps(data, **s) == core), _STYLES[0])  # type: ignore[arg-type]
    return start + json.dumps(fields, **style) + ("\r" if line.endswith("\r") else "")  # type: ignore[arg-type]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]

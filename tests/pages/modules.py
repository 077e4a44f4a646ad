"""The modules of a package with the first sentence of their docstrings."""

import ast
import re
from pathlib import Path

from tests.pages.tables import table

ROOT = Path(__file__).parents[2]


def modules_table(package: str) -> str:
    """A row for each module and each package directly below `package`."""
    folder = ROOT / package
    found = sorted(
        path
        for path in (*folder.glob("*.py"), *folder.glob("*/__init__.py"))
        if path != folder / "__init__.py"
    )
    return table(
        ("Module", "What lives there"), [(_name(path, folder), _says(path)) for path in found]
    )


def _name(path: Path, folder: Path) -> str:
    inner = path.relative_to(folder)
    return f"`{inner.parent}/`" if path.name == "__init__.py" else f"`{inner}`"


def _says(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    sentence = re.split(r"(?<=\w[.:]) (?=[A-Z])", paragraph)[0]
    return sentence.rstrip(".:")

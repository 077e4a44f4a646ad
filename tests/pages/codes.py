"""The tables of codes: the error tree, and the codes that are data only."""

import ast
import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from retrieval.contract import COMMAND_CODES, NOTICE_CODES
from retrieval.errors import InvalidInput, RetrievalError
from tests.pages.tables import sentence, table

ROOT = Path(__file__).parents[2]
PACKAGES = ("retrieval", "eval_sets")
MANY = 10
"""More different texts than this, and none of them stands for the others."""


def errors_table() -> str:
    """Every error of the tree in the order of its drawing."""
    kinds = {kind.__name__: kind for kind in error_kinds()}
    actions = _next_actions()
    root = (f"`{RetrievalError.code}`", "`RetrievalError`")
    rows = [(*root, "An error that nobody foresaw; the base of all others", "1", "")]
    for package in PACKAGES:
        drawn = importlib.import_module(f"{package}.errors").__doc__ or ""
        for name, when in re.findall(r"^[│├└─ ]+(\w+)  +(\S.*)$", drawn, re.MULTILINE):
            kind = kinds[name]
            code = "2" if issubclass(kind, InvalidInput) else "1"
            said = _most_common(actions[name])
            plain = re.sub(r" \(exit code \d\)", "", when)
            rows.append((f"`{kind.code}`", f"`{name}`", sentence(plain), code, said))
    return table(("Code", "Class", "When", "Exit code", "`next_action`, often"), rows)


def notices_table() -> str:
    """What warnings, and errors that are no exceptions, may be."""
    actions = _next_actions()
    rows = [
        (f"`{code}`", sentence(when), _most_common(actions[code]))
        for code, when in NOTICE_CODES.items()
    ]
    return table(("Code", "When", "`next_action`"), rows)


def commands_table() -> str:
    """What a command adds to these with `--json`."""
    rows = [
        (f"`{code}`", sentence(when), str(exit_code))
        for code, (when, exit_code) in COMMAND_CODES.items()
    ]
    return table(("Code", "When", "Exit code"), rows)


def error_kinds() -> list[type[RetrievalError]]:
    """Every class of the tree but its root."""
    modules = [importlib.import_module(f"{package}.errors") for package in PACKAGES]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, RetrievalError)
        if value.__module__ == module.__name__ and value is not RetrievalError
    ]


def notice_codes() -> set[str]:
    """The codes that the packages give to `ErrorInfo` themselves."""
    return {
        keyword.value.value
        for call, _ in _calls()
        if ast.unparse(call.func) == "ErrorInfo"
        for keyword in call.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
    }


def _next_actions() -> dict[str, list[str]]:
    """Error class or notice code → what its places say to do, in the order of the files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for call, constants in _calls():
        named = {k.arg: k.value for k in call.keywords}
        name, code = ast.unparse(call.func), named.get("code")
        if isinstance(code, ast.Constant):
            name = code.value
        if "next_action" in named and (text := _text(named["next_action"], constants)):
            found[name].append(text)
    # Built by the class itself.
    found["MissingExtra"] = ["Run: pip install …"]
    found["SetError"] = ["Correct the named places; nothing was changed."]
    return found


def _calls() -> Iterator[tuple[ast.Call, dict[str, ast.expr]]]:
    """Every call with the values that names have at the top of its module."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            constants = {
                ast.unparse(node.targets[0]): node.value
                for node in tree.body
                if isinstance(node, ast.Assign)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    yield node, constants


def _text(node: ast.expr, constants: dict[str, ast.expr]) -> str:
    """A text as written, with … for what is only known then; empty when it is no text."""
    if isinstance(node, ast.Name) and node.id in constants:
        node = constants[node.id]
    if isinstance(node, ast.IfExp):
        node = node.body
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else "…" for p in node.values]
        return "".join(str(part) for part in parts)
    return ""


def _most_common(texts: list[str]) -> str:
    """The first of those that stand at most places; empty without any, or with many."""
    many = len(set(texts)) > MANY
    return Counter(texts).most_common(1)[0][0] if texts and not many else ""

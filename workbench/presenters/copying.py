"""A lookup as something to paste elsewhere: JSON, Python, a command."""

import json
import shlex
from pathlib import Path

from retrieval.types import LookupResult
from workbench.services.lookups import LookupChoice

WIDTH = 100


def as_json(result: LookupResult) -> str:
    """The answer as `lookup-knowledge query --json` prints it."""
    return json.dumps(result.to_dict(), ensure_ascii=False, indent=2)


def as_python(query: str, choice: LookupChoice, kb: Path | None) -> str:
    """Python that makes the same lookup; `kb` is None for the default knowledge base."""
    arguments = [repr(query)]
    lines = ["from retrieval import lookup_knowledge"]
    if kb is not None:
        lines = ["from retrieval import KnowledgeBase, lookup_knowledge", ""]
        lines.append(f"kb = KnowledgeBase.open({str(kb)!r})")
        arguments.append("kb=kb")
    arguments += [f"{name}={value!r}" for name, value in choice.arguments().items()]
    call = f"result = lookup_knowledge({', '.join(arguments)})"
    if len(call) > WIDTH:
        call = "\n".join(
            ["result = lookup_knowledge(", *(f"    {argument}," for argument in arguments), ")"]
        )
    return "\n".join([*lines, "", call])


def as_command(query: str, choice: LookupChoice, kb: Path | None) -> str:
    """The command that makes the same lookup.

    Ends in a comment for a filter that a command line cannot say: a value with a comma.
    """
    words = ["lookup-knowledge", "query"]
    words += ["--mode", choice.mode, "--filter-mode", choice.filter_mode]
    words += ["--l1-mode", choice.l1_mode, "--top-k", str(choice.top_k)]
    if choice.min_score is not None:
        words.append(f"--min-score={choice.min_score:g}")
    unsaid = []
    for key, values in choice.filters.items():
        if any("," in value or value != value.strip() for value in values) or set(key) & set("=!"):
            unsaid.append(key)
        else:
            words += ["--where", f"{key}={','.join(values)}"]
    if choice.fault is not None:
        words += ["--fault", choice.fault]
    if kb is not None:
        words += ["--kb", str(kb)]
    words += ["--", query]
    # A field's name is foreign text: a line end in it would end the comment.
    fields = ", ".join(" ".join(key.split()) for key in unsaid)
    comment = f"  # without the filter on {fields}" if unsaid else ""
    return shlex.join(words) + comment

"""A YAML error in the words of somebody who edits the file: which line of it, and what to do."""

import re

import yaml

from retrieval.knowledge.refusal import NoteRefused, refuse

PLACEHOLDER = re.compile(r"\{\{|\{%|<%")
PLACEHOLDER_ADVICE = "Fill it in, or leave templates out with `exclude` in knowledge.toml."
_QUOTE = 'Put the value in quotes, like title: "Access: reset".'
# (beginning of the parser's problem, what it means, what to do)
_MEANINGS = (
    ("mapping values are not allowed", "a colon stands in an unquoted value", _QUOTE),
    ("found character '\\t'", "a tab stands where only blanks may", "Indent with blanks."),
    ("found a tab", "a tab stands where only blanks may", "Indent with blanks."),
    ("found unexpected end of stream", "a quote is opened and never closed", "Close the quote."),
    ("did not find expected ',' or", "a bracket is not closed where a value ends", _QUOTE),
    ("did not find expected key", "text follows a value that is complete", _QUOTE),
    ("found character that cannot start", "an unquoted value begins with @, % or `", _QUOTE),
    ("could not find expected ':'", "the line is no `key: value`", _QUOTE),
    ("found undefined tag handle", "an unquoted value begins with !", _QUOTE),
)


def yaml_refusal(error: yaml.YAMLError, block: str, *, line: int, source: str) -> NoteRefused:
    """The row for a block that is no YAML; `line` is the file's line on which it begins."""
    index, problem = _place_of(error, block)
    at = line + index
    lines = block.split("\n")
    text = lines[index] if index < len(lines) else ""
    if PLACEHOLDER.search(text):
        return refuse(
            source,
            "placeholder",
            f"Line {at} of the frontmatter holds an unfilled template placeholder: {text.strip()}",
            PLACEHOLDER_ADVICE,
            at,
        )
    meaning, advice = problem, "Put a value that holds any of : # [ ] { } , & * ! in quotes."
    for beginning, what, todo in _MEANINGS:
        if problem.startswith(beginning):
            meaning, advice = what, todo
    if problem.startswith("found character that cannot start any token") and "\t" in text:
        meaning, advice = _MEANINGS[1][1:]
    return refuse(
        source, "yaml", f"The frontmatter is not YAML in line {at}: {meaning}.", advice, at
    )


def _place_of(error: yaml.YAMLError, block: str) -> tuple[int, str]:
    """0-based line in the block, and the parser's problem."""
    if not isinstance(error, yaml.MarkedYAMLError):
        position = getattr(error, "position", 0)
        return block[:position].count("\n"), str(getattr(error, "reason", None) or error)
    problem = error.problem or error.context or "it cannot be read"
    mark = error.problem_mark or error.context_mark
    # What was opened and not closed is reported where the text ends, not where to mend it.
    if error.context_mark and (error.context or "").startswith(
        ("while parsing a flow", "while scanning a quoted", "while scanning a simple key")
    ):
        mark = error.context_mark
    return (mark.line if mark else 0), problem

"""All rules, and the rows of the load that are findings too."""

from retrieval.knowledge.lint import copies, keywords, notes, use
from retrieval.knowledge.lint.rule import Rule

LOAD_ROWS: dict[str, str] = {
    "control_character": "The text holds control characters.",
    "file_name": "The file's name is not UTF-8.",
    "linked_folder": "A link to a folder is not followed.",
    "missing_title": "Neither frontmatter nor a heading names the note.",
    "not_a_file": "A folder, or a special file, has the name of a note.",
    "not_frontmatter": "What stands between the fences is no frontmatter.",
    "not_utf8": "The file is not UTF-8.",
    "outside_root": "A link leaves the knowledge root.",
    "placeholder": "A template's placeholder was never filled.",
    "same_name": "Two files differ only in the Unicode form of their name.",
    "toml": "The TOML frontmatter cannot be read.",
    "too_large": "The file is too large for a note.",
    "unclosed_comment": "An HTML comment is never closed, so its text can be found.",
    "unclosed_frontmatter": "The frontmatter is never closed, so it is text.",
    "unread_value": "A value of the frontmatter has no clear reading.",
    "unreadable": "The system refuses to open the file.",
    "yaml": "The frontmatter is not YAML.",
}
"""What the load itself reports: code → what it means."""

RULES: tuple[Rule, ...] = (
    Rule(
        id="missing_keywords",
        severity="warning",
        why="Only its title can name the note in a query.",
        example="no `keywords:` in the frontmatter",
        check=keywords.find_missing_keywords,
    ),
    Rule(
        id="missing_category",
        severity="warning",
        why="A category filter never finds the note.",
        example="no `category:`, and no folder",
        check=notes.find_missing_categories,
    ),
    Rule(
        id="category_spelling",
        severity="warning",
        why="Two spellings are two categories, and a filter on one misses the other.",
        example="`Cloud Servers` and `cloud-server`",
        check=notes.find_category_spellings,
    ),
    Rule(
        id="common_keyword",
        severity="warning",
        why="It matches, but on more than 3 notes and 2 % of them it tells them hardly apart.",
        example="`annual safety training` on every note of a year",
        check=keywords.find_common_keywords,
    ),
    Rule(
        id="dead_keyword",
        severity="warning",
        why="A common keyword of short or common words is a match only when it is the whole query.",
        example="the product's name on every note",
        check=keywords.find_dead_keywords,
    ),
    Rule(
        id="generic_keyword",
        severity="warning",
        why="It never matches, or fits any query.",
        example="`how to`, `guide`",
        check=keywords.find_generic_keywords,
    ),
    Rule(
        id="ambiguous_keyword",
        severity="info",
        why="Its notes share no category, so a query with it is limited to none.",
        example="`token` in `billing` and `access`",
        check=keywords.find_ambiguous_keywords,
    ),
    Rule(
        id="redundant_keyword",
        severity="info",
        why="Plurals and hyphens match anyway.",
        example="`refund` and `refunds` on one note",
        check=keywords.find_redundant_keywords,
    ),
    Rule(
        id="duplicate_title",
        severity="warning",
        why="A query with the title matches both, and an answer cannot tell them apart.",
        example="two notes named `Overview`",
        check=notes.find_repeated_titles,
    ),
    Rule(
        id="duplicate_note",
        severity="warning",
        why="Copies take two places of an answer.",
        example="the same text in two files",
        check=copies.find_copies,
    ),
    Rule(
        id="near_duplicate",
        severity="info",
        why="Two versions of a text compete, and the outdated one may win.",
        example="last year's policy beside this year's, 80 % alike",
        check=copies.find_near_copies,
    ),
    Rule(
        id="empty_note",
        severity="warning",
        why="It can be found, and answers nothing.",
        example="headings only",
        check=notes.find_empty_notes,
    ),
    Rule(
        id="unclosed_fence",
        severity="warning",
        why="All that follows is code: its headings do not count.",
        example="a line of three backticks without a second one",
        check=notes.find_unclosed_fences,
    ),
    Rule(
        id="broken_link",
        severity="warning",
        why="A reader who was sent on arrives nowhere.",
        example="`[plan](plans/old.md)` without that file",
        check=notes.find_broken_links,
    ),
    Rule(
        id="unused_note",
        severity="info",
        why="Nothing that was asked returned it: its words may not be those of its readers.",
        example="only with `--traces`",
        check=use.find_unused_notes,
    ),
)

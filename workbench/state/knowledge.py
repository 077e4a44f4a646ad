"""Names of the widgets and session values of the page Knowledge: each starts with `knowledge.`."""

TEXT = "knowledge.text"
CATEGORY = "knowledge.category"
HEALTH = "knowledge.health"
RULE = "knowledge.rule"
RULE_PAGE = "knowledge.rule_page"
REINDEX = "knowledge.reindex"
CLOSE = "knowledge.close"
VIEW = "knowledge.view"
USE = "knowledge.use"
"""Session value: a number that stands for the queries that the findings are about."""
SEEN = "knowledge.seen"
"""Session value: the run that this browser session started."""
VIEW_PARAMETER = "view"
HEALTH_VIEW = "health"
"""URL parameter that opens the page with the findings, and its value."""
SOURCE_PARAMETER = "note"
"""URL parameter: the note that is open."""


def table(digest: str) -> str:
    """The table of these rows; other rows start without selection."""
    return f"knowledge.table.{digest}"

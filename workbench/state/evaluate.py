"""Names of the widgets and session values of the page Evaluate: each starts with `evaluate.`."""

SET = "evaluate.set"
FOLDER = "evaluate.folder"
VARIANTS = "evaluate.variants"
AGAINST = "evaluate.against"
SPLIT = "evaluate.split"
STRATA = "evaluate.strata"
FAULTS = "evaluate.faults"
RUN = "evaluate.run"
CANCEL = "evaluate.cancel"

SECTION = "evaluate.section"
METRIC = "evaluate.metric"
LEFT = "evaluate.left"
RIGHT = "evaluate.right"
QUERY_STRATA = "evaluate.query_strata"
CHANGED = "evaluate.changed"
TABLE = "evaluate.table"
CASE = "evaluate.case"

SAVED_FILE = "evaluate.saved_file"
SAVED_PATH = "evaluate.saved_path"
SAVED_A = "evaluate.saved_a"
SAVED_B = "evaluate.saved_b"

JOB = "evaluate.job"
"""Session value: the user's run, going on or ended."""
DONE = "evaluate.done"
"""Session value: the last `Evaluated` of the user; a failed run leaves it."""
PAIRS = "evaluate.pairs"
"""Session value: the latest pairs of lookups, by report, query and variants."""
SAVED = "evaluate.saved"
"""Session value: digest and content of the last saved report that was read."""


def download_key(form: str) -> str:
    """The key of the button that downloads the report in one format."""
    return f"evaluate.download.{form}"

"""Labels that people make and keep: judging, from use to labels, renames, effects of an edit.

>>> from eval_sets.labelling import create_set, judge
>>> folder = create_set("mine", kb)                                    # doctest: +SKIP
>>> judge(folder, "how long do refunds take", "billing/refund.md", 2)  # doctest: +SKIP
"""

from eval_sets.labelling.judging import (
    NOT_RELEVANT,
    PARTLY,
    RELEVANT,
    Judged,
    Judgements,
    exclude_source,
    grade_scale,
    judge,
    mark_no_answer,
    read_judgements,
    remove_judgement,
)
from eval_sets.labelling.places import (
    SetSummary,
    create_set,
    find_own_set,
    list_sets,
    sets_folder,
    writable_set,
)

__all__ = [
    "NOT_RELEVANT",
    "PARTLY",
    "RELEVANT",
    "Judged",
    "Judgements",
    "SetSummary",
    "create_set",
    "exclude_source",
    "find_own_set",
    "grade_scale",
    "judge",
    "list_sets",
    "mark_no_answer",
    "read_judgements",
    "remove_judgement",
    "sets_folder",
    "writable_set",
]

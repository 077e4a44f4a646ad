"""What a curator could mend: files that cannot be read, and notes that will be hard to find.

One function a rule; `RULES` has them all, `retrieval/knowledge/README.md` explains them.
"""

from retrieval.knowledge.lint.checking import check_rule_names, lint
from retrieval.knowledge.lint.registry import LOAD_ROWS, RULES
from retrieval.knowledge.lint.rule import Asked, Finding, Rule, Severity, at_least
from retrieval.knowledge.lint.table import rules_table

__all__ = [
    "LOAD_ROWS",
    "RULES",
    "Asked",
    "Finding",
    "Rule",
    "Severity",
    "at_least",
    "check_rule_names",
    "lint",
    "rules_table",
]

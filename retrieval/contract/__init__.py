"""The JSON contract: the shapes that `LookupResult.to_dict()` and `retrieval_details` have.

`schema_version` changes when a key goes or means something else; new keys may come any time.
`README.md` beside this file is generated from these types.
"""

from retrieval.contract.answer import DetailsDict, FingerprintDict, ResultDict, json_schema
from retrieval.contract.codes import COMMAND_CODES, NOTICE_CODES
from retrieval.contract.evidence import (
    BlockDict,
    BlockSummaryDict,
    CountsDict,
    ReasonDict,
    RelevanceDict,
    SpanDict,
)
from retrieval.contract.stages import (
    ConditionDict,
    ErrorDict,
    FilterDict,
    HintsDict,
    HitDict,
    L1Dict,
    MatchDict,
    NearMatchDict,
    ShadowDict,
)

__all__ = [
    "COMMAND_CODES",
    "NOTICE_CODES",
    "BlockDict",
    "BlockSummaryDict",
    "ConditionDict",
    "CountsDict",
    "DetailsDict",
    "ErrorDict",
    "FilterDict",
    "FingerprintDict",
    "HintsDict",
    "HitDict",
    "L1Dict",
    "MatchDict",
    "NearMatchDict",
    "ReasonDict",
    "RelevanceDict",
    "ResultDict",
    "ShadowDict",
    "SpanDict",
    "json_schema",
]

"""Check the answer of the base install to its one question."""

import importlib.util
import json
import sys
from pathlib import Path

answer = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
seen = {
    "outcome": answer["outcome"],
    "layer": answer["retrieval_layer"],
    "l1": answer["l1"]["status"],
    "primary": answer["primary"]["source"],
    "warnings": [warning["code"] for warning in answer["warnings"]],
}
expected = {
    "outcome": "evidence",
    "layer": "L0+L1",
    "l1": "ok",
    "primary": "access/account-recovery-admin.md",
    "warnings": [],
}
if seen != expected:
    sys.exit(f"The base install answered {seen}, expected {expected}.")
extra = [
    name for name in ("pytest", "mypy", "streamlit", "ragas") if importlib.util.find_spec(name)
]
if extra:
    sys.exit(f"The base install brings {', '.join(extra)}.")
print(f"answered from {seen['primary']}")

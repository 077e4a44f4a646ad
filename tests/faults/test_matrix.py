"""The contract under faults, cell by cell: every fault on every surface.

In each cell there is an answer of L0 that claims nothing semantic, or L1's, or an error that says
what to do; and the lookup is recorded, or waits in the spool, or the answer warns that it is not.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults import embedder
from tests.faults.faults import FAULTS, Fault
from tests.faults.site import RIGHT, Site, build_site, copy_site
from tests.faults.surfaces import SURFACES, Facts


@pytest.fixture(scope="module", autouse=True)
def _model() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        embedder.install(patch)
        yield


@pytest.fixture(scope="module")
def sites(_model: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Site]:
    """A healthy site for each model, to copy."""
    folder = tmp_path_factory.mktemp("sites")
    models = dict.fromkeys(fault.model for fault in FAULTS)
    return {model: build_site(folder / model.replace(":", "-"), model) for model in models}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_cell(
    fault: Fault,
    surface: str,
    sites: dict[str, Site],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site = copy_site(sites[fault.model], tmp_path / "site")
    with ExitStack() as stack:
        if not fault.live:
            stack.enter_context(fault.apply(site))
        ask = stack.enter_context(SURFACES[surface](site, capsys))
        if fault.live:
            before = ask(None)
            assert (before.outcome, before.l1) == ("evidence", "ok")
            stack.enter_context(fault.apply(site))
        records = site.count_records()
        facts = ask(fault)
        check_answer(fault, facts, surface)
        check_record(fault, facts, surface, site, records)


def check_answer(fault: Fault, facts: Facts, surface: str) -> None:
    for warning in (*facts.warnings, *([facts.stopped] if facts.stopped else [])):
        assert warning.message
        assert warning.next_action or warning.code == "shown"
    if surface == "eval" and fault.stops_eval:
        assert facts.stopped is not None, facts
        assert facts.stopped.code == fault.stops_eval
        return
    assert facts.stopped is None, facts.stopped
    assert facts.sources[0] == RIGHT
    assert facts.l1 in fault.l1, facts
    if facts.l1 == "ok":
        assert (facts.outcome, facts.layer) == ("evidence", "L0+L1")
    else:
        assert (facts.outcome, facts.layer) == ("fallback", "L0")
        assert not facts.semantic_support
        assert facts.level == "lexical_only"
        assert facts.confidence <= 0.5
    if fault.code is not None and surface != "eval" and facts.l1 == fault.l1[0]:
        assert fault.code in facts.codes, facts.warnings


def check_record(fault: Fault, facts: Facts, surface: str, site: Site, before: int) -> None:
    if surface == "eval":
        assert site.count_records() == before
        return
    place, details = site.where_is(facts.invocation)
    assert place == fault.record, facts.warnings
    if place == "nowhere":
        assert "record_failed" in facts.codes
        return
    assert details["l0_hints"]["titles"] == list(facts.titles) != []
    assert details["retrieval_layer"] == facts.layer
    assert details["l1"]["status"] == facts.l1
    assert details["relevance"]["semantic_support"] is facts.semantic_support
    assert "NaN" not in json.dumps(details)

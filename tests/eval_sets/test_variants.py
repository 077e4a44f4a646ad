from pathlib import Path

import pytest

from eval_sets.types import Variant
from eval_sets.variants import open_variant, parse_variant
from retrieval import KnowledgeBase
from retrieval.errors import InvalidInput
from tests.eval_sets.lab import indexed, labelled


def test_layers_are_variants() -> None:
    assert parse_variant("l0") == Variant(name="l0", settings={"lookup": {"mode": "l0"}})
    assert parse_variant(" l0+l1 ").settings == {"lookup": {"mode": "l0+l1"}}


def test_more_settings_and_a_fault_follow_the_colon() -> None:
    text = "l0+l1:filter=strict,l1=dense,fault=l1-raises,top_k=5,min_score=0.2,relax_margin=0.3"
    variant = parse_variant(text + ",semantic_floor=0.4")
    assert variant.name == text + ",semantic_floor=0.4"
    assert variant.fault == "l1-raises"
    assert variant.settings == {
        "lookup": {
            "mode": "l0+l1",
            "filter_mode": "strict",
            "l1_mode": "dense",
            "top_k": 5,
            "min_score": 0.2,
            "relax_margin": 0.3,
            "semantic_floor": 0.4,
        }
    }


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("l2", "'l2'"),
        ("", "''"),
        ("l0:filters=strict", "'filters'"),
        ("l0:strict", "'strict'"),
        ("l0:filter=hard", "filter_mode"),
        ("l0:filter=off,filter=auto", "twice 'filter'"),
        ("l1:top_k=0", "top_k"),
        ("l1:top_k=many", "top_k"),
        ("l1:fault=raises", "'raises'"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_what_is_wrong_is_named(text: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_variant(text)
    assert named in caught.value.message


def test_a_settings_file_is_a_variant(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    path.write_text('[lookup]\nl1_mode = "dense"\n', encoding="utf-8")
    settings = {"lookup": {"l1_mode": "dense"}}
    assert parse_variant(str(path)) == Variant(name="tuned", settings=settings)
    assert parse_variant(f"mine={path}") == Variant(name="mine", settings=settings)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[lookup]\nl1mode = 1\n", "lookup.l1mode"),
        ('root = "notes"\n', "'root'"),
        ('[records]\nrecord = "off"\n', "'records'"),
        ('[chroma]\nurl = "http://h:1"\n', "'chroma'"),
        ("[lookup\n", "cannot be read"),
    ],
)
def test_a_settings_file_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        parse_variant(str(path))
    assert named in caught.value.message


def test_a_variant_shares_index_and_embedder(tmp_path: Path) -> None:
    with indexed(
        labelled(tmp_path / "set"), tmp_path / "state", lookup={"top_k": 3, "budget": 400}
    ) as base:
        with open_variant(base, parse_variant("l1:l1=dense")) as variant:
            assert variant.embedder is base.embedder
            assert variant.location == base.location
            lookup = variant.settings.lookup
            assert (lookup.mode, lookup.l1_mode, lookup.top_k) == ("l1", "dense", 3)
            assert lookup.budget is None
            assert variant.lookup("money back").l1.status == "ok"
        assert base.lookup("money back").l1.status == "ok"


def test_another_model_gets_its_own_index(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    with indexed(labelled(tmp_path / "set"), tmp_path / "state") as base:
        before = base.fingerprint
        with open_variant(base, parse_variant(str(path))) as variant:
            assert variant.location.state_dir.parent == tmp_path / "state" / "variants"
            assert variant.lookup("money back").l1.status == "ok"
            assert variant.fingerprint.embedding != before.embedding
        assert base.fingerprint == before


def test_an_index_of_its_own_never_goes_to_the_server_that_hosts_share(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    nobody = {"url": "http://127.0.0.1:9", "collection": "team"}  # indexing there would fail
    with KnowledgeBase.open(
        labelled(tmp_path / "set").knowledge_base,
        {"state_dir": str(tmp_path / "s"), "chroma": nobody},
    ) as base:
        with open_variant(base, parse_variant(str(path))) as variant:
            assert variant.lookup("money back").l1.status == "ok"
        with open_variant(base, parse_variant("l1"), state_dir=tmp_path / "empty") as missing:
            result = missing.lookup("money back")
            assert result.l1.error is not None
            assert result.l1.error.code == "index_missing"

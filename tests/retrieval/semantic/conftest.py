"""A small knowledge base and the run that indexes it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from retrieval.semantic.build import IndexReport, build_index
from retrieval.semantic.embedding import open_embedder
from retrieval.semantic.generation import Generation, open_generation
from retrieval.settings import LookupSettings

NOTES = {
    "billing/refunds.md": (
        "---\ntitle: Refunds\ncategory: Billing\nkeywords: [refund]\nstatus: live\n---\n"
        "A refund goes back to the original card within five days.\n\n"
        "## Limits\n\nLarge refunds need approval by the finance lead.\n"
    ),
    "billing/invoices.md": (
        "---\ntitle: Invoices\ncategories: [Billing, Reporting]\nstatus: Draft\n---\n"
        "Invoices are sent on the first day of each month.\n"
    ),
    "network/vpn.md": (
        "---\ntitle: VPN access\ncategory: Network\nstatus: live\n---\n"
        "Install the client and sign in with your token.\n\n"
        "## Trouble\n\nRestart the client when the tunnel drops.\n"
    ),
}


@pytest.fixture
def settings() -> LookupSettings:
    return LookupSettings.model_validate({"embedding": {"model": "hash:64"}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The knowledge root, with three notes in five passages."""
    for source, text in NOTES.items():
        path = tmp_path / "notes" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "notes"


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def index(root: Path, state_dir: Path, settings: LookupSettings) -> Callable[..., IndexReport]:
    """Indexes the root into the state folder; other settings and folders may be given."""

    def run(
        chosen: LookupSettings = settings, *, into: Path = state_dir, full: bool = False
    ) -> IndexReport:
        embedder = open_embedder(chosen.embedding)
        return build_index(state_dir=into, root=root, settings=chosen, embedder=embedder, full=full)

    return run


@pytest.fixture
def opened(state_dir: Path, settings: LookupSettings) -> Callable[..., Generation]:
    """Opens the current generation; the test closes it."""

    def run(chosen: LookupSettings = settings, *, of: Path = state_dir) -> Generation:
        return open_generation(of, chosen, open_embedder(chosen.embedding).spec)

    return run

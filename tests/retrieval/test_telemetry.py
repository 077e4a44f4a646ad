"""Spans, taken by OpenTelemetry's own SDK."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.logs import LogSection, configure_logs
from tests.notes import write_notes

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def _exporter() -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)  # once for a process
    return exporter


@pytest.fixture
def exporter(_exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    _exporter.clear()
    yield _exporter
    _exporter.clear()


def open_base(tmp_path: Path, record: str = "full") -> KnowledgeBase:
    settings = {
        "embedding": {"model": "hash:64"},
        "state_dir": str(tmp_path / "state"),
        "records": {"record": record},
    }
    base = KnowledgeBase.open(write_notes(tmp_path / "notes"), settings)
    base.reindex()
    return base


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    """Our own spans; libraries below may make theirs."""
    return {
        span.name: span
        for span in exporter.get_finished_spans()
        if span.instrumentation_scope and span.instrumentation_scope.name == "retrieval"
    }


def attributes(span: ReadableSpan) -> Mapping[str, Any]:
    return span.attributes or {}


def test_a_call_is_a_tree_of_spans_with_what_each_layer_found(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    with open_base(tmp_path) as base:
        result = lookup_knowledge("refund policy", kb=base)
    spans = by_name(exporter)
    assert set(spans) == {"lookup_knowledge", "lookup", "L0", "L1"}
    parents = {name: span.parent and span.parent.span_id for name, span in spans.items()}
    ids = {name: span.context.span_id for name, span in spans.items()}
    assert parents == {
        "lookup_knowledge": None,
        "lookup": ids["lookup_knowledge"],
        "L0": ids["lookup"],
        "L1": ids["lookup"],
    }
    kinds = {name: attributes(s)["openinference.span.kind"] for name, s in spans.items()}
    assert kinds == {"lookup_knowledge": "TOOL"} | dict.fromkeys(
        ("lookup", "L0", "L1"), "RETRIEVER"
    )
    assert {attributes(s)["input.value"] for s in spans.values()} == {"refund policy"}
    tool, lookup, l0, l1 = (
        attributes(spans[n]) for n in ("lookup_knowledge", "lookup", "L0", "L1")
    )
    assert tool["lookup.invocation_id"] == result.invocation_id
    assert tool["lookup.outcome"] == "evidence"
    for position, block in enumerate(result.evidence_blocks):
        name = f"retrieval.documents.{position}.document"
        assert lookup[f"{name}.id"] == block.source
        assert lookup.get(f"{name}.score") == block.score
        assert json.loads(lookup[f"{name}.metadata"]) == {"retrieval_layer": block.retrieval_layer}
    assert l0["retrieval.documents.0.document.id"] == "billing/refund.md"
    assert list(l0["lookup.l0.domains"]) == ["billing"]
    first = result.l1.candidates[0]
    assert l1["retrieval.documents.0.document.id"] == first.passage_id
    assert l1["retrieval.documents.0.document.score"] == first.cosine
    assert l1["lookup.l1.status"] == "ok"
    assert {span.status.status_code for span in spans.values()} == {StatusCode.UNSET}


def test_a_broken_l1_is_an_error_of_its_span_alone(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    with open_base(tmp_path) as base:
        assert lookup_knowledge("refund policy", kb=base, fault="l1-raises").outcome == "fallback"
    spans = by_name(exporter)
    codes = {name: span.status.status_code for name, span in spans.items()}
    assert codes.pop("L1") == StatusCode.ERROR
    assert set(codes.values()) == {StatusCode.UNSET}
    assert attributes(spans["L1"])["lookup.l1.status"] == "failed"


@pytest.mark.parametrize("record", ["no_query", "off"])
def test_a_private_query_stands_in_no_span(
    exporter: InMemorySpanExporter, tmp_path: Path, record: str
) -> None:
    with open_base(tmp_path, record) as base:
        lookup_knowledge("a zebra asks for the refund policy", kb=base)
        base.lookup("zebra", fault="l1-raises")
    assert len(by_name(exporter)) == 4
    assert "zebra" not in "".join(span.to_json() for span in exporter.get_finished_spans())


def test_text_that_is_no_utf8_does_not_break_the_export(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    with open_base(tmp_path) as base:
        lookup_knowledge("refund \ud83d policy", kb=base)
    assert attributes(by_name(exporter)["lookup"])["input.value"] == "refund ? policy"


def test_log_lines_name_the_span(
    exporter: InMemorySpanExporter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(LogSection(format="json"))
    try:
        with open_base(tmp_path) as base:
            lookup_knowledge("refund policy", kb=base)
    finally:
        configure_logs(LogSection())
    line = json.loads(capsys.readouterr().err)
    span = by_name(exporter)["lookup_knowledge"]
    assert line["trace_id"] == f"{span.context.trace_id:032x}"
    assert line["span_id"] == f"{span.context.span_id:016x}"


def test_without_opentelemetry_lookups_answer_and_nothing_of_it_is_imported(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from retrieval import KnowledgeBase, lookup_knowledge\n"
        "base = KnowledgeBase.open(sys.argv[1], {'embedding': {'model': 'hash:64'}})\n"
        "result = lookup_knowledge('refund policy', kb=base, mode='l0')\n"
        "assert result.primary.source == 'billing/refund.md', result\n"
        "assert not [n for n in sys.modules if n.startswith('opentelemetry')]\n"
        "sys.modules['opentelemetry'] = None\n"
        "assert lookup_knowledge('refund policy', kb=base, mode='l0').primary\n"
        "base.close()\n"
    )
    root = write_notes(tmp_path / "notes")
    subprocess.run([sys.executable, "-c", script, str(root)], check=True, cwd=ROOT)


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps the names of the spans that are sent to it."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def Export(self, request: Any, context: Any) -> Any:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.names += [s.name for s in scope.spans if scope.scope.name == "retrieval"]
        return trace_service_pb2.ExportTraceServiceResponse()


def test_the_command_sends_its_spans_to_a_collector_that_the_environment_names(
    tmp_path: Path,
) -> None:
    collector = Collector()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    root = write_notes(tmp_path / "notes")
    words = ["query", "refund policy", "--mode", "l0", "--json", "--kb", str(root)]
    try:
        subprocess.run(
            [sys.executable, "-m", "retrieval.cli", *words],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env=os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"},
        )
    finally:
        server.stop(None).wait()
    assert sorted(collector.names) == ["L0", "L1", "lookup", "lookup_knowledge"]

"""The default model's graph rewritten for speed, made once and kept in the user's cache.

The shipped graph stores int8 weights and turns them into floats at each start. Here they are floats
for good; attention, GELU and layer norm are one operator each, no bias or residual takes a pass of
its own, and the mean over the tokens is part of the graph. It takes one text without padding, so it
needs no attention mask, and nothing carries over from another text. The vectors are those of the
shipped graph. The README beside this tells why the arithmetic is not in int8.

Operators: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retrieval.atomic import write_atomic
from retrieval.semantic import bundled

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

LAYERS, HEADS, SIZE = 6, 12, 384
EPSILON = 1e-12
_LAYOUT = 2
"""Raised with every change of the graph, so that no file of the cache is taken for another's."""


def fused_model(cache: Path | None = None) -> str | bytes:
    """The graph, as onnxruntime takes it: the path of its file in the cache, or its bytes where
    the cache cannot be written.

    Input `input_ids`, int64 (1, tokens); output `mean`, float32 (1, 384), the mean of the last
    hidden states. A file that is not the one that was written is made anew. Raises
    `EmbeddingError` when the shipped file is missing or altered.
    """
    import platformdirs

    shipped = bundled.model_file()
    folder = cache or Path(platformdirs.user_cache_dir("lookup-knowledge"))
    path = folder / f"minilm-{bundled.digest()}-{_LAYOUT}.onnx"
    stamp = path.with_suffix(".sha256")
    try:
        data = path.read_bytes()
        if stamp.read_text(encoding="utf-8") == hashlib.sha256(data).hexdigest():
            return str(path)
    except (OSError, UnicodeDecodeError):
        pass  # not made yet, or damaged
    data = build(shipped)
    try:
        write_atomic(path, data)
        write_atomic(stamp, hashlib.sha256(data).hexdigest())
    except OSError:
        return data
    return str(path)


def build(shipped: Path) -> bytes:
    """The rewritten graph of the shipped file, serialised."""
    return _Graph(_Weights(shipped)).serialised()


class _Weights:
    """The shipped parameters by the names that sentence-transformers gives them."""

    def __init__(self, path: Path) -> None:
        import onnx
        from onnx.numpy_helper import to_array

        graph = onnx.load(str(path)).graph
        self._values = {tensor.name: to_array(tensor) for tensor in graph.initializer}
        maker = {output: node for node in graph.node for output in node.output}
        adds = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
        # A linear layer's weight has a number for a name; its bias tells which layer it is.
        self._weight_of: dict[str, str] = {}
        for bias in [name for name in self._values if name.endswith("dense.bias")]:
            self._weight_of[bias] = self._multiplied(adds[bias], maker)
        for bias in [name for name in self._values if ".self." in name]:
            self._weight_of[bias] = self._multiplied(adds[bias], maker)

    @staticmethod
    def _multiplied(add: "NodeProto", maker: "dict[str, NodeProto]") -> str:
        return str(next(maker[name].input[1] for name in add.input if name in maker))

    def float(self, name: str) -> NDArray[np.float32]:
        """A parameter that is stored as floats."""
        return self._values[f"inner.{name}"].astype(np.float32)

    def int8(self, name: str) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """An embedding table and the scale of each of its rows."""
        return self._values[f"inner.{name}_q"], self._values[f"inner.{name}_scale"]

    def linear(self, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weight (inputs, outputs) and bias (outputs,) of a layer."""
        bias = f"inner.{name}.bias"
        weight = self._weight_of[bias]
        scale: NDArray[np.float32] = self._values[f"{weight}_scale"].astype(np.float32)
        return self._values[f"{weight}_q"].astype(np.float32) * scale, self._values[bias]


class _Graph:
    """Nodes and tensors in the order in which the model computes them.

    States have the shape (tokens, 384). A bias that would be added to a state is part of the bias
    of the layer norm before it, and taken out of the linear layers that read the state: so a
    linear layer and what is added to it are one `Gemm`.
    """

    def __init__(self, weights: _Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._tensors: list[TensorProto] = []
        self._flat = self._tensor("flat", np.array([-1, SIZE], dtype=np.int64))
        self._one_text = self._tensor("one_text", np.array([1, -1, SIZE], dtype=np.int64))
        state = self._embed()
        for layer in range(LAYERS):
            state = self._layer(f"encoder.layer.{layer}", state)
        axes = self._tensor("rows", np.zeros(1, dtype=np.int64))
        self._node("ReduceMean", [state, axes], "mean", keepdims=1)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        graph = helper.make_graph(
            self._nodes,
            "minilm",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, SIZE])],
            self._tensors,
        )
        operators = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=operators, ir_version=10)
        data: bytes = model.SerializeToString()
        return data

    def _embed(self) -> str:
        from onnx import TensorProto

        words, scale = self._weights.int8("embeddings.word_embeddings.weight")
        places, place_scale = self._weights.int8("embeddings.position_embeddings.weight")
        # Every token is of the first type.
        types = self._weights.float("embeddings.token_type_embeddings.weight")[0]
        self._node("Gather", [self._tensor("words", words), "input_ids"], "word_int8")
        self._node("Cast", ["word_int8"], "word_float", to=TensorProto.FLOAT)
        self._node("Gather", [self._tensor("word_scale", scale), "input_ids"], "scales")
        self._node("Mul", ["word_float", "scales"], "word")
        places_by_type = places.astype(np.float32) * place_scale + types
        first = self._tensor("first", np.zeros(1, dtype=np.int64))
        self._node("Shape", ["input_ids"], "tokens", start=1, end=2)
        self._node(
            "Slice", [self._tensor("places", places_by_type), first, "tokens", first], "place"
        )
        self._node("Add", ["word", "place"], "embedded_text")
        self._node("Reshape", ["embedded_text", self._flat], "embedded")
        return self._norm("embeddings.LayerNorm", "embedded", "encoder.layer.0.attention.output")

    def _layer(self, name: str, state: str) -> str:
        heads = [
            self._linear(f"{name}.attention.self.{part}", state, f"{name}.attention.output")
            for part in ("query", "key", "value")
        ]
        texts = [self._node("Reshape", [head, self._one_text], f"{head}.text") for head in heads]
        text = self._node("MultiHeadAttention", texts, f"{name}.attended_text", num_heads=HEADS)
        attended = self._node("Reshape", [text, self._flat], f"{name}.attended")
        total = self._sum(f"{name}.attention.output", attended, state)
        state = self._norm(f"{name}.attention.output.LayerNorm", total, f"{name}.output")
        inner = self._linear(f"{name}.intermediate.dense", state, f"{name}.output")
        inner = self._node("Gelu", [inner], f"{name}.gelu")
        total = self._sum(f"{name}.output", inner, state)
        following = f"encoder.layer.{int(name.rpartition('.')[2]) + 1}"
        last = following == f"encoder.layer.{LAYERS}"
        return self._norm(
            f"{name}.output.LayerNorm", total, None if last else f"{following}.attention.output"
        )

    def _linear(self, layer: str, state: str, ahead: str) -> str:
        """The linear layer of a state that holds the bias of `ahead`."""
        weight, bias = self._weights.linear(layer)
        bias = bias - self._bias(ahead) @ weight
        parts = [self._tensor(f"{layer}.weight", weight), self._tensor(f"{layer}.bias", bias)]
        return self._node("Gemm", [state, *parts], f"{layer}.result")

    def _sum(self, name: str, inner: str, state: str) -> str:
        """The linear layer and the state that skips it; the state holds the layer's bias."""
        weight, _ = self._weights.linear(f"{name}.dense")
        weights = self._tensor(f"{name}.weight", weight)
        return self._node("Gemm", [inner, weights, state], f"{name}.sum")

    def _norm(self, name: str, state: str, ahead: str | None) -> str:
        """Layer norm, with the bias of the layer that its result will be added to."""
        shift = self._weights.float(f"{name}.bias")
        if ahead is not None:
            shift = shift + self._bias(ahead)
        parts = [
            self._tensor(f"{name}.weight", self._weights.float(f"{name}.weight")),
            self._tensor(f"{name}.bias", shift),
        ]
        return self._node("LayerNormalization", [state, *parts], f"{name}.result", epsilon=EPSILON)

    def _bias(self, name: str) -> NDArray[np.float32]:
        return self._weights.float(f"{name}.dense.bias")

    def _tensor(self, name: str, value: NDArray[Any]) -> str:
        from onnx.numpy_helper import from_array

        self._tensors.append(from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, kind: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:
        from onnx import defs, helper

        domain = "" if defs.has(kind) else "com.microsoft"
        self._nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

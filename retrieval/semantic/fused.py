"""The default model's graph rewritten for speed, made once and kept in the user's cache.

The shipped graph stores int8 weights and turns them into floats at each start. Here they are floats
for good; attention, GELU and layer norm are one operator each, and the mean over the tokens is part
of the graph. It takes one text without padding, so it needs no attention mask, and nothing carries
over from another text. The vectors are those of the shipped graph.

Arithmetic in int8 (`DynamicQuantizeMatMul`) would be faster, but moves cosines by .01, and not by
the same on processors with and without VNNI.

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
    path = folder / f"minilm-{bundled.digest()}.onnx"
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

    def linear(self, *names: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weight (inputs, outputs) and bias (outputs,) of layers side by side."""
        biases = [f"inner.{name}.bias" for name in names]
        weights = [self._weight_of[bias] for bias in biases]
        return (
            np.concatenate([self._scaled(weight) for weight in weights], axis=1),
            np.concatenate([self._values[bias] for bias in biases]),
        )

    def _scaled(self, name: str) -> NDArray[np.float32]:
        scale: NDArray[np.float32] = self._values[f"{name}_scale"].astype(np.float32)
        return self._values[f"{name}_q"].astype(np.float32) * scale


class _Graph:
    """Nodes and tensors in the order in which the model computes them."""

    def __init__(self, weights: _Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._tensors: list[TensorProto] = []
        state = self._embed()
        for layer in range(LAYERS):
            state = self._layer(f"encoder.layer.{layer}", state)
        self._node("ReduceMean", [state], "mean", axes=[1], keepdims=0)

    def serialised(self) -> bytes:
        from onnx import TensorProto, helper

        graph = helper.make_graph(
            self._nodes,
            "minilm",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, SIZE])],
            self._tensors,
        )
        operators = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
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
        self._node("Add", ["word", "place"], "embedded")
        norm = self._norm("embeddings.LayerNorm")
        return self._node("LayerNormalization", ["embedded", *norm], "x", epsilon=EPSILON)

    def _layer(self, name: str, state: str) -> str:
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        joined = self._linear(f"{name}.qkv", state, *parts, bias=True)
        sizes = self._tensor(f"{name}.sizes", np.full(3, SIZE, dtype=np.int64))
        heads = [f"{name}.{part}" for part in "qkv"]
        self._node("Split", [joined, sizes], *heads, axis=-1)
        attended = self._node("MultiHeadAttention", heads, f"{name}.attended", num_heads=HEADS)
        state = self._residual(f"{name}.attention.output", attended, state)
        inner = self._linear(f"{name}.inner", state, f"{name}.intermediate.dense")
        bias = self._bias(f"{name}.intermediate.dense")
        inner = self._node("BiasGelu", [inner, bias], f"{name}.gelu")
        return self._residual(f"{name}.output", inner, state)

    def _residual(self, name: str, state: str, skipped: str) -> str:
        """Linear layer, bias, the skipped state added, layer norm."""
        dense = self._linear(f"{name}.linear", state, f"{name}.dense")
        inputs = [dense, skipped, *self._norm(f"{name}.LayerNorm"), self._bias(f"{name}.dense")]
        return self._node("SkipLayerNormalization", inputs, f"{name}.sum", epsilon=EPSILON)

    def _linear(self, output: str, state: str, *layers: str, bias: bool = False) -> str:
        weight, biases = self._weights.linear(*layers)
        product = f"{output}.product" if bias else output
        self._node("MatMul", [state, self._tensor(f"{output}.weight", weight)], product)
        if not bias:
            return output
        return self._node("Add", [product, self._tensor(f"{output}.bias", biases)], output)

    def _norm(self, name: str) -> list[str]:
        return [
            self._tensor(f"{name}.{part}", self._weights.float(f"{name}.{part}"))
            for part in ("weight", "bias")
        ]

    def _bias(self, name: str) -> str:
        return self._tensor(f"{name}.bias", self._weights.float(f"{name}.bias"))

    def _tensor(self, name: str, value: NDArray[Any]) -> str:
        from onnx.numpy_helper import from_array

        self._tensors.append(from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, kind: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:
        from onnx import defs, helper

        domain = "" if defs.has(kind) else "com.microsoft"
        self._nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

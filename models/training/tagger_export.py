"""Write the entity tagger as ONNX: ``python -m deidra.models.training.tagger_export WEIGHTS OUT.onnx --base FOLDER``.

Opset 17 by PyTorch's tracing exporter; number and length of the texts are free. Embeddings are stored in 8 bits with a
scale for each row, matrices in 8 bits with a scale for each column. With ``--matrices weights`` they are
widened when the session is made, so calculation stays in single precision; with ``dynamic`` onnxruntime multiplies
in 8 bits and scales the inputs as they come. The file in single precision is run beside PyTorch and refused if they
differ; what rounding does is reported.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from deidra.models.tagger_pieces import Inputs, Pieces, padded, prefix_of
from deidra.models.training.tagger_network import Size, Tagger
from deidra.models.training.tagger_train import validation_texts
from deidra.models.training.tell import tell
from deidra.models.training.weights import load_weights

OPSET = 17
INPUTS = ("ids", "shape", "mask")
OUTPUTS = ("probability", "variance")
TOLERANCE = 1e-3
"""Most that ONNX in single precision may differ from PyTorch, in probability and in variance."""
WORTH = 2**15
"""Numbers that a weight must have to be stored in 8 bits."""
Matrices = Literal["dynamic", "weights"]
_TEXTS = 64
_BATCH = 16


@dataclass(frozen=True, slots=True)
class Parity:
    """How far the written file is from the network.

    ``exact`` is the largest difference of any number before rounding, ``rounded`` the largest after it and ``mean``
    the mean of it; ``same`` is the share of pieces whose most likely label is the same after rounding.
    """

    exact: float
    rounded: float
    mean: float
    same: float


def export(
    tagger: Tagger, tests: Sequence[Inputs], out: Path, matrices: Matrices = "dynamic", worth: int = WORTH
) -> Parity:
    """Write the ONNX file.

    Args:
        tagger: the network.
        tests: inputs on which the file is compared.
        out: the file.
        matrices: how they are multiplied.
        worth: numbers that a weight must have to be stored in 8 bits.

    Raises:
        SystemExit: the file does not do what the network does.
    """
    tagger = tagger.eval()
    sample = Inputs(*(np.ones((2, 9), np.int64) for _ in INPUTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            tagger,
            tuple(torch.from_numpy(part) for part in sample),
            str(out),
            opset_version=OPSET,
            dynamo=False,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes={name: {0: "n", 1: "length"} for name in (*INPUTS, *OUTPUTS)},
        )
    with torch.no_grad():
        ours = [[t.numpy() for t in tagger(*(torch.from_numpy(part) for part in test))] for test in tests]
    exact = _differences(ours, [answer(out, test) for test in tests], tests)
    if exact.max() > TOLERANCE:
        out.unlink()
        raise SystemExit(f"The ONNX file differs from PyTorch by {exact.max():.2g}; it was not kept.")
    model = narrow_tables(onnx.load(str(out)), worth)
    if matrices == "weights":
        model = narrow_matrices(model, worth)
    onnx.checker.check_model(model)
    onnx.save(model, str(out))
    if matrices == "dynamic":
        _quantise(out, [w.name for w in model.graph.initializer if _size(w) >= worth])
    theirs = [answer(out, test) for test in tests]
    rounded = _differences(ours, theirs, tests)
    pairs = zip(ours, theirs, tests, strict=True)
    same = np.concatenate([(a[0].argmax(-1) == b[0].argmax(-1))[test.mask > 0] for a, b, test in pairs])
    return Parity(float(exact.max()), float(rounded.max()), float(rounded.mean()), float(same.mean()))


def answer(path: Path, inputs: Inputs) -> list[NDArray[np.float32]]:
    """What the file says: probability and variance, ``(N, L, labels)``."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return list(session.run(list(OUTPUTS), inputs._asdict()))


def _differences(
    ours: Sequence[Sequence[NDArray[Any]]], theirs: Sequence[Sequence[NDArray[Any]]], tests: Sequence[Inputs]
) -> NDArray[Any]:
    """Differences of all numbers where there is a piece."""
    found = []
    for a, b, test in zip(ours, theirs, tests, strict=True):
        found += [np.abs(x - y)[test.mask > 0].ravel() for x, y in zip(a, b, strict=True)]
    return np.concatenate(found)


def _size(weight: onnx.TensorProto) -> int:
    return int(np.prod(weight.dims, dtype=int))


def _quantise(path: Path, large: Sequence[str]) -> None:
    """Let large matrices be multiplied in 8 bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    graph = onnx.load(str(path)).graph
    chosen = [node.name for node in graph.node if node.op_type == "MatMul" and node.input[1] in large]
    if chosen:
        whole = path.with_suffix(".whole.onnx")
        path.replace(whole)
        # Weights of seven bits: sums of products of eight overflow on x86 processors without VNNI.
        quantize_dynamic(
            whole, path, op_types_to_quantize=["MatMul"], nodes_to_quantize=chosen, per_channel=True,
            weight_type=QuantType.QInt8, reduce_range=True,
        )  # fmt: skip
        whole.unlink()


def _in_eight_bits(numbers: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers, and the scale that brings them back, one for each place along all axes but ``axis``."""
    scale = np.maximum(np.abs(numbers).max(axis, keepdims=True) / 127, 1e-12).astype(np.float32)
    return np.rint(numbers / scale).astype(np.int8), scale


def narrow_tables(model: onnx.ModelProto, worth: int = WORTH) -> onnx.ModelProto:
    """The model with its large embeddings in 8 bits; only the rows that are looked up are widened."""
    graph = model.graph
    weights = {weight.name: weight for weight in graph.initializer if _size(weight) >= worth}
    nodes, done = [], set()
    for node in graph.node:
        if node.op_type != "Gather" or node.input[0] not in weights:
            nodes.append(node)
            continue
        name, rows, result = node.input[0], node.input[1], node.output[0]
        if name not in done:
            _store(graph, name, *_in_eight_bits(numpy_helper.to_array(weights[name]), 1))
            done.add(name)
        nodes += [
            helper.make_node("Gather", [f"{name}.narrow", rows], [f"{result}.narrow"]),
            helper.make_node("Gather", [f"{name}.scale", rows], [f"{result}.scale"]),
            helper.make_node("Cast", [f"{result}.narrow"], [f"{result}.wide"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{result}.wide", f"{result}.scale"], [result]),
        ]
    return _changed(model, nodes, [weights[name] for name in done])


def narrow_matrices(model: onnx.ModelProto, worth: int = WORTH) -> onnx.ModelProto:
    """The model with its large matrices in 8 bits, each widened at its start: once, when a session is made."""
    graph = model.graph
    weights = {weight.name: weight for weight in graph.initializer if _size(weight) >= worth}
    used = {node.input[1] for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights}
    nodes = []
    for name in sorted(used):
        _store(graph, name, *_in_eight_bits(numpy_helper.to_array(weights[name]), 0))
        nodes += [
            helper.make_node("Cast", [f"{name}.narrow"], [f"{name}.wide"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}.wide", f"{name}.scale"], [name]),
        ]
    return _changed(model, [*nodes, *graph.node], [weights[name] for name in used])


def _store(graph: Any, name: str, narrow: NDArray[np.int8], scale: NDArray[np.float32]) -> None:
    graph.initializer.append(numpy_helper.from_array(narrow, f"{name}.narrow"))
    graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))


def _changed(model: onnx.ModelProto, nodes: Sequence[Any], gone: Sequence[Any]) -> onnx.ModelProto:
    nodes = list(nodes)
    for weight in gone:
        model.graph.initializer.remove(weight)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def inputs_of(pieces: Pieces, count: int = _TEXTS) -> list[Inputs]:
    """Texts of the calibration split as inputs, of different lengths in each batch."""
    texts = [pieces.cut(made.text, prefix_of(made.tag, made.label)) for made in validation_texts(count)]
    rows = [window.row for text in texts for window in pieces.windows(text)]
    return [padded(rows[start : start + _BATCH]) for start in range(0, len(rows), _BATCH)]


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, required=True, help="folder of config.json and tokenizer.json")
    parser.add_argument("--matrices", choices=("dynamic", "weights"), default="dynamic")
    given = parser.parse_args()
    tagger = Tagger(Size.read(given.base))
    load_weights(tagger, given.weights)
    found = export(tagger, inputs_of(Pieces.read(given.base / "tokenizer.json")), given.out, given.matrices)
    tell("exported", {"MB": round(given.out.stat().st_size / 1e6, 2), **asdict(found)})


if __name__ == "__main__":
    main()

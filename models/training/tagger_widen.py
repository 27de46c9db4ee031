"""Bring the weights of a shipped entity tagger back: ``python -m deidra.models.training.tagger_widen IN.onnx OUT.pt``.

The weights in full precision are too large to be kept beside the sources. Those that are stored in 7 or 8 bits are
near enough to go on training from.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor

from deidra.app.domain.errors import KnownError
from deidra.models.training.tagger_network import Size, Tagger
from deidra.models.training.weights import save_weights

_MATRIX = re.compile(r"^/encoder/layers\.(\d+)/(\w+)/MatMul")
_HEAD = re.compile(r"^/head/MatMul_1")


def widened(model: onnx.ModelProto) -> dict[str, Tensor]:
    """The state of a :class:`Tagger` as :func:`deidra.models.training.tagger_export.export` wrote it.

    Raises:
        KnownError: it is another network.
    """
    stored = {weight.name: numpy_helper.to_array(weight) for weight in model.graph.initializer}
    state = {name: value for name, value in stored.items() if name.startswith(("encoder.", "head."))}
    for table in ("encoder.words.weight", "encoder.places.weight"):
        if f"{table}.narrow" in state:
            state[table] = state.pop(f"{table}.narrow").astype(np.float32) * state.pop(f"{table}.scale")
    for node in model.graph.node:
        matrix, head = _MATRIX.match(node.name), _HEAD.match(node.name)
        if node.op_type not in ("MatMul", "MatMulInteger") or not (matrix or head):
            continue
        name = f"encoder.layers.{matrix[1]}.{matrix[2]}.weight" if matrix else "head.mean"
        state[name] = _wide(node.input[1], stored).T
    expected = set(Tagger(_size(state)).state_dict())
    if set(state) != expected:
        raise KnownError("The file holds another network than the entity tagger.", "Name models/entity_tagger.onnx.")
    return {name: torch.from_numpy(np.array(value, np.float32)) for name, value in state.items()}


def _wide(name: str, stored: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    if not name.endswith("_quantized"):
        return np.asarray(stored[name], np.float32)
    bare = name.removesuffix("_quantized")
    whole = stored[name].astype(np.float32) - stored[f"{bare}_zero_point"].astype(np.float32)
    return np.asarray(whole * stored[f"{bare}_scale"], np.float32)


def _size(state: Mapping[str, NDArray[Any]]) -> Size:
    try:
        words, width = state["encoder.words.weight"].shape
        inner = len(state["encoder.layers.0.wide.bias"])
        layers = sum(name.endswith(".wide.bias") for name in state)
        return Size(words, len(state["encoder.places.weight"]), width, layers, inner=inner)
    except (KeyError, ValueError) as error:
        raise KnownError("The file holds no entity tagger.", "Name models/entity_tagger.onnx.") from error


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    state = widened(onnx.load(str(given.file)))
    tagger = Tagger(_size({name: value.numpy() for name, value in state.items()}))
    tagger.load_state_dict(state)
    save_weights(tagger, given.out)


if __name__ == "__main__":
    main()

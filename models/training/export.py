"""Write the network as ONNX: ``python -m deidra.models.training.export WEIGHTS OUT.onnx``.

Opset 17 by PyTorch's tracing exporter; the images of a batch share one size, which is free (multiples of
32, at least 256). Weights are stored in half precision and widened when the session is made, so
calculation stays in single precision; variances of weights are stored as logarithms, which half
precision holds. The written file is run beside the PyTorch network and refused if they differ.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from deidra.models.training.network import Detector, Limits
from deidra.models.training.tell import tell
from deidra.models.training.weights import load_weights

OPSET = 17
OUTPUTS = ("boxes", "slope", "short_side", "probability", "variance", "edge_variance", "image")
TOLERANCE = 1e-3
"""Most that ONNX and PyTorch may differ on sure texts: probabilities and variances absolutely, boxes by the side."""
ROUNDING = 1e-2
"""The same when weights are in half precision."""
_SURE = 0.5
_WORTH_HALVING = 256
Answer = tuple[NDArray[Any], ...]


class _Exported(nn.Module):
    """The network from ``(N, 3, H, W)`` uint8 to a plain tuple."""

    def __init__(self, detector: Detector, limits: Limits) -> None:
        super().__init__()
        self._detector, self._limits = detector, limits

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        return tuple(self._detector(images, self._limits))


def export(weights: Path, out: Path, limits: Limits | None = None) -> tuple[float, float]:
    """Write the ONNX file; returns its largest differences to PyTorch: before and after its weights are halved.

    Raises:
        SystemExit: the file does not do what the network does.
    """
    detector = Detector().eval()
    load_weights(detector, weights)
    limits = limits or Limits()
    sample = torch.from_numpy(_pictures(2, 320, 384))
    with warnings.catch_warnings():
        # The newer exporter does not know suppression and pooling of regions (torchvision's operators).
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Exported(detector, limits).eval(),
            (sample,),
            str(out),
            opset_version=OPSET,
            dynamo=False,
            input_names=["images"],
            output_names=list(OUTPUTS),
            dynamic_axes={"images": {0: "n", 2: "height", 3: "width"}, **{name: {0: "m"} for name in OUTPUTS}},
        )
    tests = [_pictures(n, h, w) for n, h, w in ((1, 256, 512), (3, 416, 320))]
    with torch.no_grad():
        ours = [tuple(t.numpy() for t in detector(torch.from_numpy(t), limits)) for t in tests]
    exact = max(difference(a, onnx_answer(out, t), t.shape[3]) for a, t in zip(ours, tests, strict=True))
    model = halved(onnx.load(str(out)))
    onnx.checker.check_model(model)
    onnx.save(model, str(out))
    rounded = max(difference(a, onnx_answer(out, t), t.shape[3]) for a, t in zip(ours, tests, strict=True))
    if exact > TOLERANCE or rounded > ROUNDING:
        out.unlink()
        raise SystemExit(f"The ONNX file differs from PyTorch by {exact:.2g} (halved: {rounded:.2g}); it was not kept.")
    return exact, rounded


def _pictures(count: int, height: int, width: int) -> NDArray[np.uint8]:
    """Pictures with text-like marks, so that there is something to propose; ``(N, 3, H, W)``."""
    import cv2

    rng = np.random.default_rng(3)
    out = []
    for _ in range(count):
        picture = np.full((height, width, 3), int(rng.integers(40)), np.uint8)
        for row in range(20, height, 40):
            cv2.putText(picture, f"DOE JANE {rng.integers(9999)}", (8, row), 0, 0.6, (230, 230, 230), 1, cv2.LINE_AA)
        out.append(picture.transpose(2, 0, 1))
    return np.stack(out)


def onnx_answer(path: Path, images: NDArray[np.uint8]) -> Answer:
    """What the file says of images ``(N, 3, H, W)``."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return tuple(session.run(None, {"images": images}))


def difference(a: Answer, b: Answer, side: int) -> float:
    """How far the sure candidates of ``a`` are from their counterparts in ``b``, boxes as a share of ``side``.

    Of two proposals that overlap by almost exactly the limit either may be suppressed, so one
    candidate in thirty may lack a counterpart; what is returned is the largest difference of the rest.
    """
    score = 1 - a[OUTPUTS.index("probability")][:, 0]
    sure = np.flatnonzero(score >= min(_SURE, float(score.max(initial=0))))
    if not len(sure) or not len(b[0]):
        return 1.0
    ours = [part[sure] for part in a]
    away = np.abs(ours[0][:, None] - b[0][None]).max(2) + 1e6 * (ours[-1][:, None] != b[-1][None])
    nearest = away.argmin(1)
    scale = (side, 1, side, 1, 1, side**2, 1)
    worst = np.max(
        [np.abs(x - y[nearest]).reshape(len(sure), -1).max(1) / s for x, y, s in zip(ours, b, scale, strict=True)], 0
    )
    return float(np.sort(worst)[: max(1, len(worst) - max(1, len(worst) // 30))].max())


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its large weights stored in half precision, each widened by a Cast at its start."""
    casts = []
    for weight in list(model.graph.initializer):
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims, dtype=int) < _WORTH_HALVING:
            continue
        narrow = numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), weight.name + ".half")
        casts.append(helper.make_node("Cast", [narrow.name], [weight.name], to=TensorProto.FLOAT))
        model.graph.initializer.remove(weight)
        model.graph.initializer.append(narrow)
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*casts, *nodes])
    return model


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    exact, rounded = export(given.weights, given.out)
    size = round(given.out.stat().st_size / 2**20, 2)
    tell("exported", {"MiB": size, "difference": exact, "difference_halved": rounded})


if __name__ == "__main__":
    main()

"""Weights on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    # Other networks are saved where torchvision is not installed.
    from deidra.models.training.network import Detector


def load_backbone(model: Detector, path: Path) -> None:
    """ImageNet weights of torchvision's MobileNetV2 (a state dict whose names begin with ``features``)."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    own = {k.removeprefix("features."): v for k, v in state.items() if k.startswith("features.")}
    missing, _ = model.backbone.features.load_state_dict(own, strict=False)
    if missing:
        raise SystemExit(f"{path} is not a MobileNetV2: {len(missing)} of its weights are missing.")


def save_weights(model: nn.Module, path: Path) -> None:
    """Weights in half precision: enough to go on from or to export."""
    state = {k: v.half().cpu() if v.dtype.is_floating_point else v.cpu() for k, v in model.state_dict().items()}
    torch.save(state, path)


def load_weights(model: nn.Module, path: Path) -> None:
    """Weights that :func:`save_weights` wrote."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict({k: v.float() if v.dtype.is_floating_point else v for k, v in state.items()})

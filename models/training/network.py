"""The variational Faster R-CNN: MobileNetV2, a feature pyramid, proposals, and a head that knows its doubt.

Coordinates are pixels of the (padded) input image; boxes are ``(left, top, right, bottom)`` with
exclusive right and bottom edges. Feature maps are ``(N, C, H / stride, W / stride)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torchvision
from torch import Tensor, nn
from torch.nn import functional

from deidra.models.training.variational import VariationalLinear, relu, softmax

STRIDES = (4, 8, 16, 32)
ANCHOR_STRIDES = 4.0
"""Side of the square anchor of a location, in strides of its level."""
CLASSES = ("background", "printed", "handwriting", "barcode")
POOL = (6, 14)
"""Rows and columns into which the features of a proposal are pooled: lines are wide."""
EDGES = 6
"""Regressed values of a box: four edges, the slope, and the shorter side."""
SLOPE_UNIT = 0.2
"""Radians of slope that count as one in the regression."""
SHORT_UNIT = 0.5
"""The shorter side is told as the logarithm of its share of that of the upright bounds; so much counts as one."""
PIXEL_MEAN = (123.675, 116.28, 103.53)
PIXEL_STD = (58.395, 57.12, 57.375)


@dataclass(frozen=True, slots=True)
class Limits:
    """Which proposals survive: the ``most`` best of an image above ``score`` that overlap less than ``overlap``.

    Nothing depends on the other images of a batch. A page of small print has thousands of good locations. Of what the
    head makes of them, boxes that are text with a probability of at least ``again`` and overlap less than
    ``again_overlap`` are looked at a second time.
    """

    most: int = 4000
    overlap: float = 0.7
    score: float = 0.1
    again: float = 0.03
    again_overlap: float = 0.7


class Proposals(NamedTuple):
    """Boxes ``(M, 4)`` and the index of the image of each, ``(M,)``."""

    boxes: Tensor
    image: Tensor


class Detections(NamedTuple):
    """What the head says of each proposal; rows as in the proposals.

    ``boxes (M, 4)``; ``slope (M,)`` radians; ``short_side (M,)`` pixels of the rectangle of that slope; ``probability``
    and ``variance`` ``(M, classes)``; ``edge_variance (M, 4)`` in squared pixels; ``image (M,)``.
    """

    boxes: Tensor
    slope: Tensor
    short_side: Tensor
    probability: Tensor
    variance: Tensor
    edge_variance: Tensor
    image: Tensor


def _block(inputs: int, outputs: int, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Backbone(nn.Module):
    """MobileNetV2 (Sandler et al., CVPR 2018); features of strides 4, 8, 16 and 32.

    The first three are taken behind the expansions of the next stage, which hold six times the
    channels of the bottlenecks and are computed anyhow.
    """

    TAPS = (4, 7, 14)
    CHANNELS = (144, 192, 576, 320)

    def __init__(self) -> None:
        super().__init__()
        self.features = torchvision.models.mobilenet_v2().features[:18]

    def forward(self, image: Tensor) -> list[Tensor]:
        """Features of the four strides."""
        taken = []
        for index, stage in enumerate(self.features):
            if index in self.TAPS:
                expanded = stage.conv[0](image)
                taken.append(expanded)
                image = stage.conv[2](stage.conv[1](expanded))
                image = stage.conv[3](image)
            else:
                image = stage(image)
        return [*taken, image]

    def freeze(self, stages: int) -> None:
        """Keep the first stages as they are, statistics included; they work on the largest maps and cost most."""
        for stage in self.features[:stages]:
            stage.requires_grad_(False)
            stage.eval()


class Pyramid(nn.Module):
    """Feature pyramid (Lin et al., CVPR 2017)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, channels, 1) for c in Backbone.CHANNELS)
        self.smooth = nn.ModuleList(_block(channels, channels) for _ in Backbone.CHANNELS)

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        """One map for each stride, all with the same channels."""
        maps = [lateral(f) for lateral, f in zip(self.lateral, features, strict=True)]
        for level in range(len(maps) - 2, -1, -1):
            maps[level] = maps[level] + functional.interpolate(maps[level + 1], scale_factor=2.0, mode="nearest")
        return [smooth(m) for smooth, m in zip(self.smooth, maps, strict=True)]


class ProposalHead(nn.Module):
    """The region proposal network: objectness and box of one square anchor a location.

    Boxes are coded as in equation 1. With one anchor a location, lines of any length are proposed
    by the locations on them; which level answers for which text height is said by the targets.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.tower = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(True),
            _block(channels, channels, 1),
        )
        self.out = nn.Conv2d(channels, 5, 1)
        nn.init.normal_(self.out.weight, std=0.01)
        # One location in a hundred is text.
        self.out.bias = nn.Parameter(torch.tensor([-4.6, 0.0, 0.0, 0.0, 0.0]))

    def forward(self, maps: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Logits ``(N, A)`` and coded boxes ``(N, A, 4)``, levels one after another, rows first."""
        out = [self.out(self.tower(m)).flatten(2).transpose(1, 2) for m in maps]
        joined = torch.cat(out, 1)
        return joined[..., 0], joined[..., 1:]


def anchors(maps: list[Tensor]) -> Tensor:
    """All anchors as ``(A, 3)``: centre x, centre y, side; in the order of :class:`ProposalHead`."""
    rows = []
    for stride, feature in zip(STRIDES, maps, strict=True):
        height, width = feature.shape[-2:]
        y = (torch.arange(height, device=feature.device, dtype=torch.float32) + 0.5) * stride
        x = (torch.arange(width, device=feature.device, dtype=torch.float32) + 0.5) * stride
        centre_x = x[None, :].expand(y.shape[0], -1).reshape(-1)
        centre_y = y[:, None].expand(-1, x.shape[0]).reshape(-1)
        rows.append(torch.stack([centre_x, centre_y, torch.full_like(centre_x, ANCHOR_STRIDES * stride)], -1))
    return torch.cat(rows)


def decode(coded: Tensor, anchor: Tensor) -> Tensor:
    """Boxes ``(..., 4)`` of coded boxes (equation 1 solved for the box)."""
    centre = anchor[..., :2] + coded[..., :2] * anchor[..., 2:]
    half = 0.5 * anchor[..., 2:] * coded[..., 2:].clamp(-4, 4).exp()
    return torch.cat([centre - half, centre + half], -1)


def units(boxes: Tensor) -> Tensor:
    """The lengths in which shifts of a box's edges are told, ``(M, 4)`` for ``(M, 4)`` boxes.

    Height and width, but no more than four times the other: the ends of a long line are as sharp as
    those of a short one.
    """
    width = (boxes[:, 2] - boxes[:, 0]).clamp_min(1)
    height = (boxes[:, 3] - boxes[:, 1]).clamp_min(1)
    x, y = torch.minimum(width, 4 * height), torch.minimum(height, 4 * width)
    return 0.2 * torch.stack([x, y, x, y], -1)


def shorter_side(boxes: Tensor) -> Tensor:
    """The shorter side of upright boxes ``(M, 4)``, at least a pixel, ``(M,)``."""
    return (boxes[:, 2:] - boxes[:, :2]).amin(1).clamp_min(1)


class VariationalHead(nn.Module):
    """Class and box of a proposal, each with a variance (equations 7 to 13)."""

    def __init__(self, channels: int, pooled: int = 48, hidden: int = 256) -> None:
        super().__init__()
        self.reduce = _block(channels, pooled, 1)
        self.first = VariationalLinear(pooled * POOL[0] * POOL[1], hidden)
        self.second = VariationalLinear(hidden, hidden)
        self.classify = VariationalLinear(hidden, len(CLASSES))
        self.regress = VariationalLinear(hidden, EDGES)

    def variational(self) -> list[VariationalLinear]:
        """The layers whose weights are random."""
        return [self.first, self.second, self.classify, self.regress]

    def pool(self, finest: Tensor, proposals: Proposals) -> Tensor:
        """Features of the proposals and a margin around them, ``(M, pooled * rows * columns)``."""
        boxes = proposals.boxes
        height = (boxes[:, 3] - boxes[:, 1]).clamp_min(1)
        width = (boxes[:, 2] - boxes[:, 0]).clamp_min(1)
        margin = 0.2 * torch.minimum(height, width) + 2
        grown = boxes + torch.stack([-margin, -margin, margin, margin], -1)
        rois = torch.cat([proposals.image[:, None].to(grown.dtype), grown], 1)
        reduced = self.reduce(finest).float()
        pooled: Tensor = torchvision.ops.roi_align(
            reduced, rois, POOL, spatial_scale=1 / STRIDES[0], sampling_ratio=2, aligned=True
        )
        return pooled.flatten(1)

    def forward(self, pooled: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Class probabilities and their variances, coded edges and theirs."""
        mean, variance = relu(*self.first(pooled, None))
        mean, variance = relu(*self.second(mean, variance))
        return (*softmax(*self.classify(mean, variance)), *self.regress(mean, variance))


class Detector(nn.Module):
    """The whole network."""

    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, channels: int = 96) -> None:
        super().__init__()
        self.backbone = Backbone()
        self.pyramid = Pyramid(channels)
        self.proposal_head = ProposalHead(channels)
        self.head = VariationalHead(channels)
        self.register_buffer("pixel_mean", torch.tensor(PIXEL_MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("pixel_std", torch.tensor(PIXEL_STD).view(1, 3, 1, 1), persistent=False)

    def freeze_all_but_head(self) -> None:
        """Let only the head learn: the rest does not depend on the coefficients of its loss."""
        for part in (self.backbone, self.pyramid, self.proposal_head):
            part.requires_grad_(False)

    def maps(self, images: Tensor) -> list[Tensor]:
        """The pyramid of ``(N, 3, H, W)`` RGB images of 0 to 255; H and W multiples of 32."""
        scaled = (images.float() - self.pixel_mean) / self.pixel_std
        maps: list[Tensor] = self.pyramid(self.backbone(scaled))
        return maps

    def propose(self, maps: list[Tensor], limits: Limits) -> Proposals:
        """The best proposals of each image."""
        logits, coded = self.proposal_head(maps)
        return best(logits.float(), decode(coded.float(), anchors(maps)), limits)

    def judge(self, maps: list[Tensor], proposals: Proposals) -> Detections:
        """What the head makes of proposals."""
        probability, variance, edges, edge_variance = self.head(self.head.pool(maps[0], proposals))
        unit = units(proposals.boxes)
        boxes = proposals.boxes + edges[:, :4] * unit
        return Detections(
            boxes,
            edges[:, 4] * SLOPE_UNIT,
            shorter_side(boxes) * (edges[:, 5] * SHORT_UNIT).clamp(-4, 0).exp(),
            probability,
            variance,
            edge_variance[:, :4] * unit.square(),
            proposals.image,
        )

    def detect(self, maps: list[Tensor], limits: Limits) -> Detections:
        """What the head says of the proposals when it sees them a second time, from the boxes that it made of them.

        A proposal is cut off or too wide at times; cut by its own first answer the text is seen whole (as the stages of
        Cai and Vasconcelos, CVPR 2018, with one head).
        """
        first = self.judge(maps, self.propose(maps, limits))
        score = 1 - first.probability[:, 0]
        keep = (score > limits.again).nonzero()[:, 0]
        again = once(Proposals(first.boxes[keep], first.image[keep]), score[keep], limits.again_overlap)
        return self.judge(maps, again)

    def forward(self, images: Tensor, limits: Limits | None = None) -> Detections:
        """Detect on a batch; nothing is suppressed after the last look: all candidates come out."""
        return self.detect(self.maps(images), limits or Limits())


def best(logits: Tensor, boxes: Tensor, limits: Limits) -> Proposals:
    """The best proposals of each image by score, overlapping ones once."""
    chosen, order = logits.topk(min(limits.most, logits.shape[1]), 1)
    picked = boxes.gather(1, order[..., None].expand(-1, -1, 4))
    image = torch.arange(logits.shape[0], device=logits.device)[:, None].expand_as(order)
    keep = (chosen.sigmoid() > limits.score).reshape(-1).nonzero()[:, 0]
    found = Proposals(picked.reshape(-1, 4)[keep], image.reshape(-1)[keep])
    return once(found, chosen.reshape(-1)[keep], limits.overlap)


def once(found: Proposals, score: Tensor, overlap: float) -> Proposals:
    """Of boxes of one image that overlap more than this the best one, best first."""
    boxes, image = found
    # Images lie side by side, far apart, so that one call serves the batch.
    apart = 2 * torch.cat([boxes.detach().abs().reshape(-1), boxes.new_ones(1)]).amax() + 1
    kept = torchvision.ops.nms(boxes + (image.to(boxes.dtype) * apart)[:, None], score, overlap)
    return Proposals(boxes[kept], image[kept])

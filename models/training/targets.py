"""What the network should have said: which anchors and proposals belong to which text, and the losses."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from deidra.models.training.network import (
    ANCHOR_STRIDES,
    SHORT_UNIT,
    SLOPE_UNIT,
    STRIDES,
    Detector,
    Proposals,
    anchors,
    decode,
    shorter_side,
    units,
)
from deidra.models.training.variational import Coefficients, class_loss, edge_loss

TRAINING_PROPOSALS = 1000
"""Best locations of an image that the head learns from by chance: many enough that the weak ones, which it must
refuse, are among them."""
ROIS = 128
"""Proposals of an image that the head is trained on."""
_POSITIVE_SHARE = 0.5
_OVERLAP = 0.5
_LEAST_QUALITY = 0.4
"""A location on text is worth this much even while its box is poor: boxes of small letters always overlap little."""
_JITTER = (0.5, 0.5, 0.12)
_SLOPING = 0.02
_SLOPING_WEIGHT = 4.0
"""Slope and shorter side of sloping text (radians) count more: level text, nine of ten, teaches nothing of them."""
_MARGIN = 1.3
"""Text heights near the border of two levels are learnt by both."""


class Truth(NamedTuple):
    """The text of one image, rows of ``T``.

    ``boxes (T, 4)``, ``slope (T,)`` radians within +-pi/4, ``short_side (T,)`` pixels of the rectangle of that slope,
    ``labels (T,)`` from 1.
    """

    boxes: Tensor
    slope: Tensor
    short_side: Tensor
    labels: Tensor


class Losses(NamedTuple):
    """Parts of the loss of equation 18, each a mean."""

    objectness: Tensor
    proposal: Tensor
    classes: Tensor
    edges: Tensor
    divergence: Tensor

    def total(self) -> Tensor:
        """Their sum."""
        return torch.stack(list(self)).sum()


class Batch(NamedTuple):
    """The text of a batch, padded to the most in one image: as :class:`Truth` with ``N`` in front.

    ``there (N, T)`` tells which rows are text.
    """

    boxes: Tensor
    slope: Tensor
    short_side: Tensor
    labels: Tensor
    there: Tensor


def padded(truths: list[Truth], device: torch.device) -> Batch:
    """Truths of images as one batch, at least one row wide."""
    most = max(1, *(t.labels.numel() for t in truths), 1)
    boxes = torch.zeros(len(truths), most, 4)
    slope, short_side = (torch.zeros(len(truths), most) for _ in range(2))
    labels = torch.zeros(len(truths), most, dtype=torch.long)
    for row, truth in enumerate(truths):
        count = truth.labels.numel()
        boxes[row, :count], slope[row, :count], short_side[row, :count], labels[row, :count] = truth
    there = labels > 0
    return Batch(*(t.to(device, non_blocking=True) for t in (boxes, slope, short_side, labels, there)))


def assign(anchor: Tensor, truth: Batch) -> Tensor:
    """Which text each anchor answers for, ``(N, A)``: its row, -1 for background, -2 for "either".

    An anchor answers for a text whose height suits its level, if its centre lies in the middle of the
    text: the inner 60 % of the width, the inner half of the height. The rest of the text is neither
    right nor wrong. Of several texts the smallest counts.
    """
    left, top, right, bottom = truth.boxes[:, None].unbind(-1)  # (N, 1, T)
    width, height = right - left, bottom - top
    small = torch.minimum(width, height)
    x, y, side = (anchor[None, :, i, None] for i in range(3))  # (1, A, 1)
    stride = side / ANCHOR_STRIDES
    low = torch.where(stride == STRIDES[0], 0.0, stride * 4 / _MARGIN)
    high = torch.where(stride == STRIDES[-1], 1e9, stride * 8 * _MARGIN)
    off_x, off_y = (x - (left + right) / 2).abs(), (y - (top + bottom) / 2).abs()
    there = truth.there[:, None]
    middle = (
        there
        & (small >= low)
        & (small < high)
        & (off_x < torch.maximum(0.3 * width, 0.8 * stride))
        & (off_y < torch.maximum(0.25 * height, 0.8 * stride))
    )
    inside = (there & (off_x < 0.5 * width) & (off_y < 0.5 * height)).any(2)
    smallest, owner = torch.where(middle, width * height, torch.inf).min(2)
    owner = torch.where(smallest.isfinite(), owner, -1)
    return torch.where((owner < 0) & inside, -2, owner)


def proposal_losses(logits: Tensor, coded: Tensor, anchor: Tensor, truth: Batch) -> tuple[Tensor, Tensor]:
    """Losses of the proposal network over a batch.

    Objectness is learnt as the overlap that the box reaches (quality focal loss, Li et al., NeurIPS
    2020), boxes by generalised overlap (Rezatofighi et al., CVPR 2019).
    """
    owner = assign(anchor, truth)
    image, place = (owner >= 0).nonzero(as_tuple=True)
    boxes = decode(coded[image, place], anchor[place])
    target = truth.boxes[image, owner[image, place]]
    quality = torch.zeros_like(logits)
    quality[image, place] = _overlap(boxes.detach(), target).clamp(_LEAST_QUALITY, 1)
    share = _shares(image * truth.boxes.shape[1] + owner[image, place], truth.there.numel())
    weight = (quality - logits.sigmoid()).square() * (owner > -2)
    weight[image, place] = weight[image, place] * share
    objectness = (weight * functional.binary_cross_entropy_with_logits(logits, quality, reduction="none")).sum()
    scale = max(1, image.numel())
    return 2 * objectness / scale, ((1 - _generalised_overlap(boxes, target)) * share).sum() / scale


def _shares(text: Tensor, texts: int) -> Tensor:
    """How much each anchor counts, ``(P,)``, given the text ``(P,)`` it answers for; 1 in the mean.

    A long line has a hundred anchors, a single letter has two: each text counts as the root of their number.
    """
    count = torch.bincount(text, minlength=texts).clamp_min(1).to(torch.float32)
    share = count[text].rsqrt()
    return share * (text.numel() / share.sum().clamp_min(1e-6))


def _overlap(a: Tensor, b: Tensor) -> Tensor:
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    shared = (high - low).clamp_min(0).prod(-1)
    return shared / ((a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1) - shared).clamp_min(1e-6)


def _generalised_overlap(a: Tensor, b: Tensor) -> Tensor:
    hull = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(-1).clamp_min(1e-6)
    shared = (torch.minimum(a[:, 2:], b[:, 2:]) - torch.maximum(a[:, :2], b[:, :2])).clamp_min(0).prod(-1)
    union = (a[:, 2:] - a[:, :2]).prod(-1) + (b[:, 2:] - b[:, :2]).prod(-1) - shared
    return shared / union.clamp_min(1e-6) - (hull - union) / hull


def _strongest(logits: Tensor, boxes: Tensor) -> Proposals:
    order = logits.topk(min(TRAINING_PROPOSALS, logits.shape[1]), 1).indices
    image = torch.arange(logits.shape[0], device=logits.device)[:, None].expand_as(order)
    return Proposals(boxes.gather(1, order[..., None].expand(-1, -1, 4)).reshape(-1, 4), image.reshape(-1))


def _jittered(boxes: Tensor, share: float) -> Tensor:
    """Boxes whose edges are moved by up to half of this share of their lengths."""
    size = torch.cat([boxes[:, 2:] - boxes[:, :2]] * 2, 1)
    shortest = size.amin(1, keepdim=True)
    reach = torch.minimum(size, 3 * shortest)
    return boxes + (torch.rand_like(boxes) - 0.5) * share * reach


class Samples(NamedTuple):
    """Proposals of a batch that the head learns from, with their labels and coded edges."""

    proposals: Proposals
    labels: Tensor
    edges: Tensor


def sample(proposals: Proposals, truth: Batch) -> Samples:
    """Draw up to :data:`ROIS` proposals an image for the head, at most half of them on text.

    The truth itself, moved by chance, is among the candidates: much as by a poor proposal, and little as by the head's
    own first answer.
    """
    image, row = truth.there.nonzero(as_tuple=True)
    known = truth.boxes[image, row]
    boxes = torch.cat([proposals.boxes, *(_jittered(known, share) for share in _JITTER)])
    of = torch.cat([proposals.image, *([image] * len(_JITTER))])
    fit = ((boxes[:, 2:] - boxes[:, :2]) >= 1).all(1)
    boxes, of = boxes[fit], of[fit]
    overlap, owner = (_overlap(boxes[:, None], truth.boxes[of]) * truth.there[of]).max(1)
    right = overlap >= _OVERLAP
    positives = _drawn(right, of, int(ROIS * _POSITIVE_SHARE), of * truth.boxes.shape[1] + owner)
    taken = torch.zeros(truth.boxes.shape[0], dtype=torch.long, device=of.device).index_add_(
        0, of, positives.to(torch.long)
    )
    chosen = positives | _drawn(~right, of, ROIS - taken)
    boxes, of, owner, right = boxes[chosen], of[chosen], owner[chosen], right[chosen]
    shift = (truth.boxes[of, owner] - boxes) / units(boxes)
    # Text that an edge of the image cuts may be thicker than what is left of it.
    share = (truth.short_side[of, owner] / shorter_side(truth.boxes[of, owner])).clamp(0.02, 1)
    edges = torch.cat([shift, truth.slope[of, owner, None] / SLOPE_UNIT, share.log()[:, None] / SHORT_UNIT], 1)
    return Samples(Proposals(boxes, of), torch.where(right, truth.labels[of, owner], 0), edges)


def _drawn(allowed: Tensor, image: Tensor, most: Tensor | int, text: Tensor | None = None) -> Tensor:
    """A random choice of the allowed rows, at most ``most`` (one number, or one for each image) an image.

    With ``text``, a number for what each row shows, every text is as likely to be chosen, however many rows show it
    (weighted sampling without replacement, Efraimidis and Spirakis 2006).
    """
    chance = torch.rand(image.shape, device=image.device, dtype=torch.float64)
    if text is not None:
        # The higher 1 - u^(1/w) is, the later a row comes; with w = 1 / rows of the text.
        rows = torch.bincount(text[allowed], minlength=int(text.amax()) + 1 if text.numel() else 1)
        chance = 1 - chance ** rows[text].clamp_min(1)
    key = image * 2.0 + chance
    key = torch.where(allowed, key, key + 1e9)
    order = key.argsort()
    sorted_image = torch.where(allowed, image, -1)[order]
    first = torch.searchsorted(torch.where(sorted_image < 0, 2**31, sorted_image), sorted_image)
    rank = torch.arange(image.numel(), device=image.device) - first
    limit = most[image[order]] if isinstance(most, Tensor) else most
    out = torch.zeros_like(allowed)
    out[order] = (sorted_image >= 0) & (rank < limit)
    return out


def losses(model: Detector, images: Tensor, truth: Batch, coefficients: Coefficients, amp: bool) -> Losses:
    """All parts of the loss of a batch ``(N, 3, H, W)``."""
    with torch.autocast(images.device.type, torch.bfloat16, enabled=amp):
        maps = model.maps(images)
        logits, coded = model.proposal_head(maps)
    logits, coded = logits.float(), coded.float()
    anchor = anchors(maps)
    objectness, proposal = proposal_losses(logits, coded, anchor, truth)
    with torch.no_grad():
        drawn = sample(_strongest(logits, decode(coded, anchor)), truth)
    with torch.autocast(images.device.type, torch.bfloat16, enabled=amp):
        pooled = model.head.pool(maps[0], drawn.proposals)
    probability, variance, edges, edge_variance = model.head(pooled.float())
    rows = max(1, drawn.labels.numel())
    classes = class_loss(probability, variance, drawn.labels, coefficients).sum() / rows
    text = drawn.labels > 0
    wanted = drawn.edges[text]
    weight = torch.ones_like(wanted)
    weight[:, 4:] = torch.where(wanted[:, 4:5].abs() * SLOPE_UNIT > _SLOPING, _SLOPING_WEIGHT, 1.0)
    shift = edge_loss(edges[text], edge_variance[text], wanted, coefficients, weight).sum() / rows
    divergence = torch.stack([layer.divergence(coefficients) for layer in model.head.variational()]).sum()
    return Losses(objectness, proposal, classes, shift, divergence)

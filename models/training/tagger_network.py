"""The entity tagger: a small BERT with shapes of words, and a variational layer that labels each piece.

The encoder is that of MiniLM (Wang et al., 2020) and of every BERT (Devlin et al., 2019), whose weights it can take
on, or that of MPNet (Song et al., 2020), which can be its teacher; the last layer passes on mean and variance as in
paper 003 (equations 6 to 13).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from deidra.app.domain.errors import KnownError
from deidra.models.tagger_pieces import LABELS, SHAPES
from deidra.models.training.variational import Coefficients, VariationalLinear, class_loss, softmax

NO_LABEL = -100
"""Label of pieces that nothing is asked of: those before the text, at its ends, and behind it."""
COEFFICIENTS = replace(Coefficients(), error=0.0108, log_det=0.00248)
"""Of the loss: a tenth of the detector's terms of the variance, in the same proportion, so that the best variance of an
error stays the same. The variances of a single layer begin near nothing, where the whole terms outweigh the
cross entropy a hundredfold and slow the first steps down."""
UNUSED_PLACES = 2
"""Places of MPNet's table before that of the first piece."""
_DISTANCES = "relative_attention_num_buckets"
_FARTHEST = 128
"""Distance from which on MPNet tells none apart."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the encoder is; the defaults are those of MiniLM-L6."""

    words: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    distances: int = 0
    """Classes of distances that attention weighs, as in MPNet (Song et al., 2020); BERT has none."""
    rounding: float = 1e-12
    """Added to variances where vectors are normalised."""

    @classmethod
    def read(cls, folder: Path) -> Size:
        """As ``config.json`` of a model tells.

        Raises:
            KnownError: there is no such file, or it is not of a BERT.
        """
        names = ("vocab_size", "max_position_embeddings", "hidden_size", "num_hidden_layers")
        try:
            told = json.loads((folder / "config.json").read_text("utf-8"))
            size = cls(*(told[name] for name in (*names, "num_attention_heads", "intermediate_size")))
            size = replace(size, rounding=told.get("layer_norm_eps", size.rounding))
            if _DISTANCES not in told:
                return size
            # The first places of MPNet are for pieces that are not there.
            return replace(size, distances=told[_DISTANCES], positions=size.positions - UNUSED_PLACES)
        except (OSError, ValueError, KeyError) as error:
            raise KnownError(f"{folder} holds no BERT.", "Name the folder of config.json with --base.") from error


class Layer(nn.Module):
    """One layer of the encoder: attention, then two linear layers, each added to its input and normalised."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        self._heads = size.heads
        self.attention = nn.Linear(size.width, 3 * size.width)
        self.joined = nn.Linear(size.width, size.width)
        self.first_norm = nn.LayerNorm(size.width, size.rounding)
        self.wide = nn.Linear(size.width, size.inner)
        self.narrow = nn.Linear(size.inner, size.width)
        self.second_norm = nn.LayerNorm(size.width, size.rounding)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """``x (N, L, width)``; ``seen (N, 1, 1, L)`` is True where there is a piece, or is added ``(N, H, L, L)``."""
        parts = self.attention(x).unflatten(-1, (3, self._heads, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        seen = seen if seen.dtype == torch.bool else seen.to(query.dtype)
        met = functional.scaled_dot_product_attention(query, key, value, seen).transpose(1, 2).flatten(2)
        x = self.first_norm(x + self.dropout(self.joined(met)))
        return self.second_norm(x + self.dropout(self.narrow(functional.gelu(self.wide(x)))))


class Encoder(nn.Module):
    """Pieces to vectors: ``(N, L, width)``."""

    def __init__(self, size: Size, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.places = nn.Embedding(size.positions, size.width)
        # Nothing at first, so that the weights of a text model mean what they meant.
        self.shapes = nn.Embedding(SHAPES, size.width)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        nn.init.zeros_(self.shapes.weight)
        self.near = nn.Embedding(size.distances, size.heads) if size.distances else None
        self.norm = nn.LayerNorm(size.width, size.rounding)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(size, dropout) for _ in range(size.layers))

    def forward(self, ids: Tensor, shape: Tensor, mask: Tensor) -> Tensor:
        """As :class:`Tagger`."""
        places = self.places(torch.arange(ids.shape[1], device=ids.device))
        x = self.dropout(self.norm(self.words(ids) + self.shapes(shape) + places))
        seen = (mask > 0)[:, None, None, :]
        if self.near is not None:
            near = self.near(distance_classes(ids.shape[1], self.near.num_embeddings, ids.device)).permute(2, 0, 1)
            seen = torch.where(seen, near, -torch.inf)
        for layer in self.layers:
            x = layer(x, seen)
        return x


def distance_classes(length: int, classes: int, device: torch.device) -> Tensor:
    """Classes of the distances between any two pieces as MPNet has them, ``(L, L)``: of the reader, of what it reads.

    Half of the classes are for what stands before. Of each half the first half is for the nearest pieces, one each;
    the others grow with the logarithm of the distance (Raffel et al., 2020, section 2.1).
    """
    places = torch.arange(length, device=device)
    ahead = places[None, :] - places[:, None]
    half = classes // 2
    exact = half // 2
    far = ahead.abs()
    grown = torch.log(far.clamp_min(1).float() / exact) / math.log(_FARTHEST / exact) * (half - exact)
    steps = torch.where(far < exact, far, (exact + grown.long()).clamp_max(half - 1))
    return steps + half * (ahead > 0)


class Tagger(nn.Module):
    """The network.

    Args:
        size: of the encoder.
        dropout: share of values that training leaves out.
    """

    def __init__(self, size: Size | None = None, dropout: float = 0.1) -> None:
        super().__init__()
        self.size = size or Size()
        self.encoder = Encoder(self.size, dropout)
        self.dropout = nn.Dropout(dropout)
        self.head = VariationalLinear(self.size.width, len(LABELS))

    def forward(self, ids: Tensor, shape: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean probability and variance of each label, ``(N, L, labels)``.

        Args:
            ids: word pieces, ``(N, L)``.
            shape: their shape classes, ``(N, L)``.
            mask: 1 where there is a piece, else 0, ``(N, L)``.
        """
        hidden = self.dropout(self.encoder(ids, shape, mask))
        with torch.autocast(hidden.device.type, enabled=False):
            # Variances are too fine for half precision.
            mean, variance = self.head(hidden.float(), None)
            return softmax(mean, variance)


class Losses(NamedTuple):
    """Parts of the loss of equation 18, each a mean, and how far the network is from its teacher."""

    labels: Tensor
    taught: Tensor
    divergence: Tensor

    def total(self, taught: float = 0.0) -> Tensor:
        """Their sum; ``taught`` is how much the teacher counts, the labels count the rest."""
        return (1 - taught) * self.labels + taught * self.taught + self.divergence


def losses(
    tagger: Tagger,
    inputs: tuple[Tensor, Tensor, Tensor],
    labels: Tensor,
    chosen: Coefficients,
    said: Tensor | None = None,
) -> Losses:
    """The loss over all pieces that have a label, ``labels (N, L)``; inputs as those of :class:`Tagger`.

    ``said`` has a teacher's probabilities, ``(N, L, labels)``: what counts is the cross entropy of them and ours
    (Hinton et al., 2015, at temperature 1).
    """
    probability, variance = tagger(*inputs)
    asked = labels != NO_LABEL
    each = class_loss(probability[asked], variance[asked], labels[asked], chosen)
    taught = torch.zeros((), device=labels.device)
    if said is not None:
        taught = -(said[asked] * probability[asked].clamp_min(1e-7).log()).sum(-1).mean()
    return Losses(each.mean(), taught, tagger.head.divergence(chosen))

"""The entity tagger: a small BERT with shapes of words, and a variational layer that labels each piece.

The encoder is that of MiniLM (Wang et al., 2020) and of every BERT (Devlin et al., 2019), whose weights it can take
on; the last layer passes on mean and variance as in paper 003 (equations 6 to 13).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
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
_ROUNDING = 1e-12
_KINDS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


@dataclass(frozen=True, slots=True)
class Size:
    """How large the encoder is; the defaults are those of MiniLM-L6."""

    words: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536

    @classmethod
    def read(cls, folder: Path) -> Size:
        """As ``config.json`` of a model tells.

        Raises:
            KnownError: there is no such file, or it is not of a BERT.
        """
        names = ("vocab_size", "max_position_embeddings", "hidden_size", "num_hidden_layers")
        try:
            told = json.loads((folder / "config.json").read_text("utf-8"))
            return cls(*(told[name] for name in (*names, "num_attention_heads", "intermediate_size")))
        except (OSError, ValueError, KeyError) as error:
            raise KnownError(f"{folder} holds no BERT.", "Name the folder of config.json with --base.") from error


class Layer(nn.Module):
    """One layer of the encoder: attention, then two linear layers, each added to its input and normalised."""

    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        self._heads = size.heads
        self.attention = nn.Linear(size.width, 3 * size.width)
        self.joined = nn.Linear(size.width, size.width)
        self.first_norm = nn.LayerNorm(size.width, _ROUNDING)
        self.wide = nn.Linear(size.width, size.inner)
        self.narrow = nn.Linear(size.inner, size.width)
        self.second_norm = nn.LayerNorm(size.width, _ROUNDING)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """``x (N, L, width)``; ``seen (N, 1, 1, L)`` is True where there is a piece."""
        parts = self.attention(x).unflatten(-1, (3, self._heads, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
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
        self.norm = nn.LayerNorm(size.width, _ROUNDING)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(size, dropout) for _ in range(size.layers))

    def forward(self, ids: Tensor, shape: Tensor, mask: Tensor) -> Tensor:
        """As :class:`Tagger`."""
        places = self.places(torch.arange(ids.shape[1], device=ids.device))
        x = self.dropout(self.norm(self.words(ids) + self.shapes(shape) + places))
        seen = (mask > 0)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, seen)
        return x


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
    """Parts of the loss of equation 18, each a mean."""

    labels: Tensor
    divergence: Tensor

    def total(self) -> Tensor:
        """Their sum."""
        return self.labels + self.divergence


def losses(tagger: Tagger, inputs: tuple[Tensor, Tensor, Tensor], labels: Tensor, chosen: Coefficients) -> Losses:
    """The loss over all pieces that have a label, ``labels (N, L)``; inputs as those of :class:`Tagger`."""
    probability, variance = tagger(*inputs)
    asked = labels != NO_LABEL
    each = class_loss(probability[asked], variance[asked], labels[asked], chosen)
    return Losses(each.mean(), tagger.head.divergence(chosen))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Tensors of a safetensors file that are stored as floats, in single precision.

    Such a file is the length of a JSON header (8 bytes, little endian), the header, and the numbers.

    Raises:
        KnownError: the file cannot be read.
    """
    try:
        content = path.read_bytes()
        begin = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:begin])
        result = {}
        for name, entry in header.items():
            if entry.get("dtype") in _KINDS:
                first, last = (begin + offset for offset in entry["data_offsets"])
                numbers = np.frombuffer(content[first:last], _KINDS[entry["dtype"]]).astype(np.float32)
                result[name] = torch.from_numpy(numbers.reshape(entry["shape"]))
    except (OSError, ValueError, KeyError) as error:
        raise KnownError(f"{path} is no safetensors file.", "Name the folder of a BERT with --base.") from error
    return result


_SAME = {
    "joined": "attention.output.dense",
    "first_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "second_norm": "output.LayerNorm",
}
"""Our names of a layer's parts and BERT's."""


def load_base(encoder: Encoder, tensors: Mapping[str, Tensor]) -> None:
    """Take on the weights of a BERT, by their names; shapes of words keep theirs.

    The embedding of the first kind of sentence, which is added everywhere, becomes part of that of the places.

    Raises:
        KnownError: a weight is missing or of another size.
    """
    bare = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
    try:
        state = {
            "words.weight": bare["embeddings.word_embeddings.weight"],
            "places.weight": bare["embeddings.position_embeddings.weight"]
            + bare["embeddings.token_type_embeddings.weight"][:1],
            "shapes.weight": encoder.shapes.weight.detach(),
        }
        for part in ("weight", "bias"):
            state[f"norm.{part}"] = bare[f"embeddings.LayerNorm.{part}"]
            for number in range(len(encoder.layers)):
                theirs, ours = f"encoder.layer.{number}.", f"layers.{number}."
                three = [bare[f"{theirs}attention.self.{name}.{part}"] for name in ("query", "key", "value")]
                state[f"{ours}attention.{part}"] = torch.cat(three)
                state |= {f"{ours}{mine}.{part}": bare[f"{theirs}{name}.{part}"] for mine, name in _SAME.items()}
        encoder.load_state_dict(state)
    except (KeyError, RuntimeError) as error:
        raise KnownError("The base is not a BERT of this size.", "Name another folder with --base.") from error

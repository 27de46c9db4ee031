"""Weights that the entity tagger begins with: those of a BERT or of an MPNet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deidra.app.domain.errors import KnownError
from deidra.models.training.tagger_network import UNUSED_PLACES, Encoder

_KINDS: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
_MARKS = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
"""BERT's names of marks, and MPNet's."""


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
_SAME_OF_MPNET = _SAME | {"joined": "attention.attn.o", "first_norm": "attention.LayerNorm"}
_THREE = ("attention.self.query", "attention.self.key", "attention.self.value")
_THREE_OF_MPNET = ("attention.attn.q", "attention.attn.k", "attention.attn.v")


def load_base(encoder: Encoder, tensors: Mapping[str, Tensor]) -> None:
    """Take on the weights of a BERT, by their names; shapes of words keep theirs.

    The embedding of the first kind of sentence, which is added everywhere, becomes part of that of the places.

    Raises:
        KnownError: a weight is missing or of another size.
    """
    bare = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
    try:
        places = bare["embeddings.position_embeddings.weight"] + bare["embeddings.token_type_embeddings.weight"][:1]
        state = {"words.weight": bare["embeddings.word_embeddings.weight"], "places.weight": places}
        _take(encoder, state | _layers(encoder, bare, _THREE, _SAME))
    except (KeyError, RuntimeError) as error:
        raise KnownError("The base is not a BERT of this size.", "Name another folder with --base.") from error


def load_mpnet(
    encoder: Encoder, tensors: Mapping[str, Tensor], theirs: Mapping[str, int], ours: Mapping[str, int]
) -> None:
    """Take on the weights of an MPNet; the rows of its words are put in the order of ``ours`` (vocabularies).

    Both know the same pieces, so that the network reads what its pupil reads.

    Raises:
        KnownError: a weight or a piece is missing.
    """
    bare = {name.removeprefix("mpnet."): tensor for name, tensor in tensors.items()}
    try:
        rows = [theirs[_MARKS.get(piece, piece)] for piece in sorted(ours, key=ours.__getitem__)]
        state = {
            "words.weight": bare["embeddings.word_embeddings.weight"][rows],
            "places.weight": bare["embeddings.position_embeddings.weight"][UNUSED_PLACES:],
            "near.weight": bare["encoder.relative_attention_bias.weight"],
        }
        _take(encoder, state | _layers(encoder, bare, _THREE_OF_MPNET, _SAME_OF_MPNET))
    except (KeyError, RuntimeError, IndexError) as error:
        raise KnownError("The base is not an MPNet of these pieces.", "Name another folder with --base.") from error


def _layers(
    encoder: Encoder, bare: Mapping[str, Tensor], three: tuple[str, ...], same: Mapping[str, str]
) -> dict[str, Tensor]:
    state = {}
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = bare[f"embeddings.LayerNorm.{part}"]
        for number in range(len(encoder.layers)):
            theirs, ours = f"encoder.layer.{number}.", f"layers.{number}."
            state[f"{ours}attention.{part}"] = torch.cat([bare[f"{theirs}{name}.{part}"] for name in three])
            state |= {f"{ours}{mine}.{part}": bare[f"{theirs}{name}.{part}"] for mine, name in same.items()}
    return state


def _take(encoder: Encoder, state: Mapping[str, Tensor]) -> None:
    encoder.load_state_dict({**state, "shapes.weight": encoder.shapes.weight.detach()})

"""Folders with a BERT and an MPNet of random weights, two layers and 32 wide."""

import json
from pathlib import Path

import numpy as np
from small_tokenizer import small_tokenizer

WIDTH, INNER, LAYERS, HEADS, POSITIONS = 32, 64, 2, 4, 128
DISTANCES = 32


def weights(words: int, seed: int = 0) -> dict[str, np.ndarray]:
    """All tensors by BERT's names."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{layer}{name}.weight": (WIDTH, WIDTH), f"{layer}{name}.bias": (WIDTH,)}
        shapes |= {f"{layer}intermediate.dense.weight": (INNER, WIDTH), f"{layer}intermediate.dense.bias": (INNER,)}
        shapes |= {f"{layer}output.dense.weight": (WIDTH, INNER), f"{layer}output.dense.bias": (WIDTH,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}{name}.weight": (WIDTH,), f"{layer}{name}.bias": (WIDTH,)}
    made = {name: rng.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    for name in made:
        if name.endswith("LayerNorm.weight"):
            made[name] += 1
    return made


def write_bert(folder: Path, half: bool = False) -> Path:
    """Write ``config.json``, ``tokenizer.json`` and ``model.safetensors``, in half precision if asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = small_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    words = tokenizer.get_vocab_size()
    _config(folder, vocab_size=words, max_position_embeddings=POSITIONS)
    _tensors(folder, weights(words), half)
    return folder


def mpnet_weights(words: int, seed: int = 1) -> dict[str, np.ndarray]:
    """All tensors by MPNet's names; two places more than a BERT has, and classes of distances."""
    rng = np.random.default_rng(seed)
    made = {}
    for name, tensor in weights(words, seed).items():
        new = name.replace("attention.output.LayerNorm", "attention.LayerNorm")
        for theirs, ours in (("self.query", "q"), ("self.key", "k"), ("self.value", "v"), ("output.dense", "o")):
            new = new.replace(f"attention.{theirs}", f"attention.attn.{ours}")
        made[new] = tensor
    del made["embeddings.token_type_embeddings.weight"]
    made["embeddings.position_embeddings.weight"] = rng.normal(0, 0.2, (POSITIONS + 2, WIDTH)).astype(np.float32)
    made["encoder.relative_attention_bias.weight"] = rng.normal(0, 1, (DISTANCES, HEADS)).astype(np.float32)
    return made


def write_mpnet(folder: Path) -> Path:
    """The same of an MPNet, whose pieces are in another order and whose marks have other names."""
    folder.mkdir(parents=True, exist_ok=True)
    cut = json.loads(small_tokenizer().to_str())
    vocab = cut["model"]["vocab"]
    marks = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
    pieces = [marks.get(piece, piece) for piece in sorted(vocab, key=vocab.__getitem__, reverse=True)]
    pieces = ["other", *pieces]
    cut["model"]["vocab"] = {piece: number for number, piece in enumerate(pieces)}
    cut["added_tokens"], cut["post_processor"] = [], None
    (folder / "tokenizer.json").write_text(json.dumps(cut), "utf-8")
    more = {"relative_attention_num_buckets": DISTANCES, "layer_norm_eps": 1e-5}
    _config(folder, vocab_size=len(pieces), max_position_embeddings=POSITIONS + 2, **more)
    _tensors(folder, mpnet_weights(len(pieces)), False)
    return folder


def _config(folder: Path, **more: float) -> None:
    config = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS}
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": INNER, **more}), "utf-8")


def _tensors(folder: Path, tensors: dict[str, np.ndarray], half: bool) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, tensor in tensors.items():
        part = tensor.astype("<f2" if half else "<f4").tobytes()
        place = [len(content), len(content) + len(part)]
        header[name] = {"dtype": "F16" if half else "F32", "shape": list(tensor.shape), "data_offsets": place}
        content += part
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + content)

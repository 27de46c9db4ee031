"""A folder with a BERT of random weights in the form of MiniLM-L6, two layers and 32 wide."""

import json
from pathlib import Path

import numpy as np
from small_tokenizer import small_tokenizer

WIDTH, INNER, LAYERS, HEADS, POSITIONS = 32, 64, 2, 4, 128


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
    config = {"vocab_size": words, "max_position_embeddings": POSITIONS, "hidden_size": WIDTH}
    config |= {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, tensor in weights(words).items():
        part = tensor.astype("<f2" if half else "<f4").tobytes()
        place = [len(content), len(content) + len(part)]
        header[name] = {"dtype": "F16" if half else "F32", "shape": list(tensor.shape), "data_offsets": place}
        content += part
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + content)
    return folder

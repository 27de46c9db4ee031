"""The tagger's network: BERT's weights, shapes, masks, and the variance of its answer."""

import math
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install deidra[train]")
pytest.importorskip("tokenizers", reason="needs tokenizers")

from small_bert import HEADS, LAYERS, WIDTH, weights, write_bert, write_mpnet  # noqa: E402
from small_tokenizer import small_tokenizer  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from deidra.app.domain.errors import KnownError  # noqa: E402
from deidra.models.tagger_pieces import LABELS, SHAPES  # noqa: E402
from deidra.models.training.tagger_bases import load_base, load_mpnet, read_tensors  # noqa: E402
from deidra.models.training.tagger_network import (  # noqa: E402
    NO_LABEL,
    Encoder,
    Size,
    Tagger,
    distance_classes,
    losses,
)
from deidra.models.training.variational import Coefficients  # noqa: E402

SMALL = Size(words=60, positions=64, width=32, layers=2, heads=4, inner=64)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def inputs(rows: int = 2, length: int = 7):
    return (
        torch.randint(0, 60, (rows, length)),
        torch.randint(0, SHAPES, (rows, length)),
        torch.ones(rows, length, dtype=torch.int64),
    )


def reference(tensors, ids):
    """BERT written out for one text ``(L,)`` without shapes and mask, as its authors describe it."""

    def linear(name, x):
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def norm(name, x):
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-12).sqrt()
        return x * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    x = tensors["embeddings.word_embeddings.weight"][ids]
    x = x + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm("embeddings.LayerNorm", x + tensors["embeddings.token_type_embeddings.weight"][0])
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        parts = [linear(f"{layer}attention.self.{n}", x) for n in ("query", "key", "value")]
        query, key, value = (p.reshape(len(ids), HEADS, -1).transpose(0, 1) for p in parts)
        weight = (query @ key.transpose(1, 2) / math.sqrt(WIDTH / HEADS)).softmax(-1)
        met = (weight @ value).transpose(0, 1).reshape(len(ids), WIDTH)
        x = norm(f"{layer}attention.output.LayerNorm", x + linear(f"{layer}attention.output.dense", met))
        wide = linear(f"{layer}intermediate.dense", x)
        wide = wide * 0.5 * (1 + torch.erf(wide / math.sqrt(2)))
        x = norm(f"{layer}output.LayerNorm", x + linear(f"{layer}output.dense", wide))
    return x


@pytest.mark.parametrize("half", [False, True])
def test_the_encoder_with_the_weights_of_a_bert_is_that_bert(tmp_path, half) -> None:
    folder = write_bert(tmp_path / "bert", half)
    size = Size.read(folder)
    encoder = Encoder(size).eval()
    load_base(encoder, read_tensors(folder / "model.safetensors"))
    tensors = {name: torch.from_numpy(tensor) for name, tensor in weights(size.words).items()}
    ids = torch.randint(0, size.words, (9,))
    with torch.no_grad():
        ours = encoder(ids[None], torch.randint(0, SHAPES, (1, 9)), torch.ones(1, 9))
    # Shapes mean nothing yet.
    assert torch.allclose(ours[0], reference(tensors, ids), atol=2e-2 if half else 1e-5)


def distance_class(ahead: int) -> int:
    """MPNet's class of a piece ``ahead`` of the reader, as its authors compute it: 16 classes on each side."""
    far = abs(ahead)
    if far >= 8:
        far = min(15, 8 + int(math.log(far / 8) / math.log(128 / 8) * 8))
    return far + (16 if ahead > 0 else 0)


def test_distances_fall_into_classes_that_grow() -> None:
    found = distance_classes(300, 32, torch.device("cpu"))
    for reader, other in ((0, 0), (0, 7), (7, 0), (0, 8), (0, 11), (50, 20), (0, 127), (0, 299), (299, 0)):
        assert found[reader, other] == distance_class(other - reader)
    assert set(found.unique().tolist()) == set(range(32)) - {16}


def mpnet_reference(tensors, ids):
    """MPNet written out for one text ``(L,)``: a BERT whose attention also weighs distances."""
    near = torch.tensor([[distance_class(b - a) for b in range(len(ids))] for a in range(len(ids))])
    bias = tensors["encoder.relative_attention_bias.weight"][near].permute(2, 0, 1)

    def linear(name, x):
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def norm(name, x):
        x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
        return x * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    x = tensors["embeddings.word_embeddings.weight"][ids]
    x = norm("embeddings.LayerNorm", x + tensors["embeddings.position_embeddings.weight"][2 : 2 + len(ids)])
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        parts = [linear(f"{layer}attention.attn.{n}", x) for n in "qkv"]
        query, key, value = (p.reshape(len(ids), HEADS, -1).transpose(0, 1) for p in parts)
        weight = (query @ key.transpose(1, 2) / math.sqrt(WIDTH / HEADS) + bias).softmax(-1)
        met = (weight @ value).transpose(0, 1).reshape(len(ids), WIDTH)
        x = norm(f"{layer}attention.LayerNorm", x + linear(f"{layer}attention.attn.o", met))
        wide = torch.nn.functional.gelu(linear(f"{layer}intermediate.dense", x))
        x = norm(f"{layer}output.LayerNorm", x + linear(f"{layer}output.dense", wide))
    return x


def test_the_encoder_with_the_weights_of_an_mpnet_is_that_mpnet_on_the_pieces_of_a_bert(tmp_path) -> None:
    ours = small_tokenizer()
    folder = write_mpnet(tmp_path / "mpnet")
    theirs = Tokenizer.from_file(str(folder / "tokenizer.json"))
    size = replace(Size.read(folder), words=ours.get_vocab_size())
    encoder = Encoder(size).eval()
    tensors = read_tensors(folder / "model.safetensors")
    load_mpnet(encoder, tensors, theirs.get_vocab(), ours.get_vocab())
    pieces = [piece for piece in ours.get_vocab() if not piece.startswith("[")][:11]
    with torch.no_grad():
        found = encoder(
            torch.tensor([[ours.token_to_id(p) for p in pieces] + [0] * 3]),
            torch.zeros(1, 14, dtype=torch.int64),
            torch.tensor([[1] * 11 + [0] * 3]),
        )
    expected = mpnet_reference(tensors, torch.tensor([theirs.token_to_id(p) for p in pieces]))
    assert torch.allclose(found[0, :11], expected, atol=1e-5)


def test_an_mpnet_of_other_pieces_is_refused(tmp_path) -> None:
    folder = write_mpnet(tmp_path / "mpnet")
    ours = small_tokenizer()
    encoder = Encoder(replace(Size.read(folder), words=ours.get_vocab_size()))
    with pytest.raises(KnownError, match="not an MPNet of these pieces"):
        load_mpnet(encoder, read_tensors(folder / "model.safetensors"), ours.get_vocab(), ours.get_vocab())


def test_what_a_teacher_says_counts_as_much_as_is_asked_for() -> None:
    tagger, given = Tagger(SMALL, 0.0), inputs()
    labels = torch.zeros(2, 7, dtype=torch.int64)
    labels[0, 0] = NO_LABEL
    with torch.no_grad():
        said, _ = tagger(*given)
    alone = losses(tagger, given, labels, Coefficients())
    parts = losses(tagger, given, labels, Coefficients(), said)
    entropy = -(said * said.log()).sum(-1).flatten()[1:].mean()
    assert float(alone.taught) == 0
    assert torch.allclose(parts.taught, entropy, atol=1e-5)
    assert torch.allclose(parts.total(0.25), 0.75 * parts.labels + 0.25 * parts.taught + parts.divergence)
    assert torch.allclose(alone.total(), alone.labels + alone.divergence)


def test_names_that_begin_with_bert_are_known_too() -> None:
    size = Size(words=60, positions=128, width=32, layers=2, heads=4, inner=64)
    tensors = {f"bert.{name}": torch.from_numpy(tensor) for name, tensor in weights(60).items()}
    load_base(Encoder(size), tensors)


def test_a_base_of_another_size_is_refused() -> None:
    tensors = {name: torch.from_numpy(tensor) for name, tensor in weights(60).items()}
    with pytest.raises(KnownError, match="not a BERT of this size"):
        load_base(Encoder(SMALL), tensors)


def test_what_is_no_base_is_refused(tmp_path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\x05\0\0\0\0\0\0\0hello")
    with pytest.raises(KnownError, match="no safetensors"):
        read_tensors(tmp_path / "model.safetensors")
    with pytest.raises(KnownError, match="holds no BERT"):
        Size.read(tmp_path)


def test_what_fills_a_row_up_changes_nothing() -> None:
    tagger = Tagger(SMALL).eval()
    ids, shape, mask = inputs(1, 6)
    longer = [torch.cat([part, torch.full((1, 5), 3)], 1) for part in (ids, shape)]
    with torch.no_grad():
        short = tagger(ids, shape, mask)
        filled = tagger(*longer, torch.cat([mask, torch.zeros(1, 5, dtype=torch.int64)], 1))
    for a, b in zip(short, filled, strict=True):
        assert torch.allclose(a, b[:, :6], atol=1e-6)


def test_shapes_count_once_they_are_learnt() -> None:
    tagger = Tagger(SMALL).eval()
    ids, shape, mask = inputs()
    other = (shape + 1) % SHAPES
    with torch.no_grad():
        assert torch.equal(tagger(ids, shape, mask)[0], tagger(ids, other, mask)[0])
        tagger.encoder.shapes.weight.normal_()
        assert not torch.allclose(tagger(ids, shape, mask)[0], tagger(ids, other, mask)[0], atol=1e-3)


def test_the_answer_is_a_probability_and_a_variance_it_can_have() -> None:
    p, variance = Tagger(SMALL).eval()(*inputs())
    assert p.shape == variance.shape == (2, 7, len(LABELS))
    assert torch.allclose(p.sum(-1), torch.ones(2, 7))
    assert (variance > 0).all()
    assert (variance <= p * (1 - p) + 1e-7).all()


def test_the_variance_is_what_sampling_the_last_layer_finds() -> None:
    tagger = Tagger(SMALL).eval().requires_grad_(False)
    head = tagger.head
    head.log_variance.fill_(2 * math.log(0.01))
    head.bias_log_variance.fill_(2 * math.log(0.05))
    ids, shape, mask = inputs(1, 3)
    p, variance = tagger(ids, shape, mask)
    hidden = tagger.encoder(ids, shape, mask)[0]
    draws = 20_000
    weight = head.mean + head.log_variance.mul(0.5).exp() * torch.randn(draws, *head.mean.shape)
    bias = head.bias + head.bias_log_variance.mul(0.5).exp() * torch.randn(draws, len(LABELS))
    samples = (torch.einsum("sod,ld->slo", weight, hidden) + bias[:, None]).softmax(-1)
    likely = p[0] > 0.01
    assert int(likely.sum()) > 20
    assert torch.allclose(p[0][likely], samples.mean(0)[likely], atol=0.005)
    assert torch.allclose(variance[0][likely], samples.var(0)[likely], rtol=0.12)


def test_pieces_without_a_label_are_not_asked_about() -> None:
    tagger = Tagger(SMALL).eval().requires_grad_(False)
    given = inputs(2, 7)
    labels = torch.full((2, 7), NO_LABEL)
    labels[0, 2], labels[1, 4] = 3, 0
    first = losses(tagger, given, labels, Coefficients())
    only = losses(tagger, tuple(part[:1] for part in given), labels[:1], Coefficients())
    other = losses(tagger, tuple(part[1:] for part in given), labels[1:], Coefficients())
    assert float(first.labels) == pytest.approx(float((only.labels + other.labels) / 2), rel=1e-4)
    assert float(first.total()) == pytest.approx(float(first.labels + first.divergence))


def test_the_prior_of_the_last_layer_is_part_of_the_loss() -> None:
    tagger = Tagger(SMALL).requires_grad_(False)
    labels = torch.zeros(2, 7, dtype=torch.int64)
    chosen = Coefficients(kl_trace=1.0, kl_mean=1.0, kl_log_det=1.0)
    found = losses(tagger, inputs(), labels, chosen)
    assert float(found.divergence) == pytest.approx(float(tagger.head.divergence(chosen)))
    assert float(losses(tagger, inputs(), labels, Coefficients()).divergence) < float(found.divergence)

"""A training of a few steps with a small encoder: it learns, goes on, reports, and becomes an ONNX file."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install deidra[train]")
pytest.importorskip("tokenizers", reason="needs tokenizers")
onnx = pytest.importorskip("onnx", reason="needs onnx: pip install deidra[train]")

from small_bert import write_bert, write_mpnet  # noqa: E402

from deidra.app.domain.errors import KnownError  # noqa: E402
from deidra.app.synth.texts.sample import TextSample  # noqa: E402
from deidra.models.tagger_pieces import LABELS, Pieces  # noqa: E402
from deidra.models.training import running, tagger_train  # noqa: E402
from deidra.models.training.tagger_export import TOLERANCE, answer, export, inputs_of  # noqa: E402
from deidra.models.training.tagger_network import Size, Tagger  # noqa: E402
from deidra.models.training.tagger_train import Run, Settings, measured, optimizer, tagged, validation_texts  # noqa: E402
from deidra.models.training.tagger_widen import widened  # noqa: E402
from deidra.models.training.weights import load_weights  # noqa: E402


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return write_bert(tmp_path_factory.mktemp("base"))


def settings(out: Path, base: Path) -> Settings:
    return Settings(out, base, 1.0, 4, 8, 0, 1e-3, 1e-2, 3, 20, dropout=0.0)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, base) -> tuple[Path, dict]:
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_TELL", 1)
        Run(settings(out, base)).learn()
        first = json.loads((out / "report.json").read_text("utf-8"))
        Run(replace(settings(out, base), steps=6)).learn()
    return out, {"first": first, "second": json.loads((out / "report.json").read_text("utf-8"))}


def test_a_few_steps_let_the_loss_fall(trained) -> None:
    _, reports = trained
    rows = [row["labels"] for row in reports["first"]["history"]]
    assert len(rows) == 4
    assert rows[-1] < rows[0]


def test_a_run_goes_on_from_its_checkpoint(trained) -> None:
    _, reports = trained
    assert reports["first"]["texts"] == 32
    assert reports["second"]["texts"] == 48
    assert [row["step"] for row in reports["second"]["history"]] == [5, 6]


def test_a_network_learns_from_a_teacher_of_another_kind(tmp_path, base, monkeypatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(running, "_TELL", 1)
    teacher = write_mpnet(tmp_path / "mpnet")
    cut = base / "tokenizer.json"
    Run(replace(settings(tmp_path / "first", teacher), tokenizer=cut, steps=2, validation=0)).learn()
    taught = replace(settings(tmp_path / "second", base), teacher_base=teacher, taught=1.0, steps=8, validation=0)
    Run(replace(taught, teacher=tmp_path / "first" / "weights.pt")).learn()
    rows = [row["taught"] for row in json.loads((tmp_path / "second" / "report.json").read_text("utf-8"))["history"]]
    assert rows[-1] > 0
    assert rows[-1] < rows[0]


def test_weights_come_back_from_the_file_that_is_shipped(trained, base, tmp_path) -> None:
    out, _ = trained
    tagger = Tagger(Size.read(base))
    load_weights(tagger, out / "weights.pt")
    export(tagger, inputs_of(Pieces.read(base / "tokenizer.json"), 8), tmp_path / "t.onnx", worth=1500)
    back = widened(onnx.load(str(tmp_path / "t.onnx")))
    state = tagger.state_dict()
    assert set(back) == set(state)
    for name, tensor in state.items():
        assert back[name].shape == tensor.shape
        assert (back[name] - tensor).abs().max() <= tensor.abs().max() / 60


def test_another_file_is_no_tagger_to_bring_back(tmp_path) -> None:
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    value = onnx.helper.make_tensor_value_info("x", 1, [1]), onnx.helper.make_tensor_value_info("y", 1, [1])
    graph = onnx.helper.make_graph([node], "g", value[:1], value[1:])
    with pytest.raises(KnownError, match="no entity tagger"):
        widened(onnx.helper.make_model(graph))


def test_a_run_that_is_cut_short_goes_on_from_where_it_was_last_saved(tmp_path, base, monkeypatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(running, "KEEP", 0)
    real, steps = tagger_train.stepped, []

    def stepped(*arguments: object) -> object:
        steps.append(1)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(tagger_train, "stepped", stepped)
    with pytest.raises(KeyboardInterrupt):
        Run(settings(tmp_path, base)).learn()
    again = Run(settings(tmp_path, base))
    assert (again._step, again.average.steps, again.examples) == (2, 2, 16)


def test_the_report_has_figures_of_all_of_each_type_and_of_each_source(trained) -> None:
    _, reports = trained
    figures = reports["first"]["figures"]
    assert figures["overall"]["texts"] == 20
    assert {"precision", "recall", "f"} == figures["overall"]["exact"].keys()
    assert figures["types"]["PATIENT"]["spans"] > 0
    assert set(figures["sources"]) <= {"field", "note", "cell", "line"}
    assert reports["first"]["torch"] == torch.__version__
    assert reports["first"]["settings"]["seed"] == 3
    assert reports["first"]["card"]


def test_weights_can_be_gone_on_from(trained, base, tmp_path) -> None:
    out, _ = trained
    run = Run(replace(settings(tmp_path, base), weights=out / "weights.pt"))
    kept = torch.load(out / "weights.pt", weights_only=True)
    assert torch.allclose(run.tagger.head.mean, kept["head.mean"].float())


def test_what_is_new_learns_quickly_and_without_decay(base) -> None:
    tagger = Tagger(Size.read(base))
    groups = optimizer(tagger, 1e-5, 1e-3).param_groups
    assert [group["lr"] for group in groups] == [1e-5, 1e-5, 1e-3]
    assert [group["weight_decay"] > 0 for group in groups] == [True, False, False]
    fresh = {id(p) for p in groups[2]["params"]}
    assert id(tagger.head.log_variance) in fresh
    assert id(tagger.encoder.shapes.weight) in fresh
    counted = [id(p) for group in groups for p in group["params"]]
    assert sorted(counted) == sorted(id(p) for p in tagger.parameters())


class Oracle(torch.nn.Module):
    """Says of every piece what it said of the same piece before: the label is its number in the vocabulary."""

    def __init__(self) -> None:
        super().__init__()
        self.nothing = torch.nn.Parameter(torch.zeros(1))

    def forward(self, ids, shape, mask):
        p = torch.nn.functional.one_hot(ids % len(LABELS), len(LABELS)).float()
        return p, torch.zeros_like(p)


def test_texts_of_any_length_are_answered_in_their_order() -> None:
    from small_tokenizer import small_tokenizer

    pieces = Pieces(small_tokenizer())
    texts = [TextSample(t, (), "note", "", "", "en", "t") for t in ("a b", "", "jane doe " * 100, "c")]
    alone = [next(iter(tagged(Oracle(), pieces, [text]))) for text in texts]
    assert list(tagged(Oracle(), pieces, texts)) == alone
    assert alone[1] == []


def test_an_empty_answer_is_measured(base) -> None:
    tagger = Tagger(Size.read(base)).eval()
    with torch.no_grad():
        tagger.head.bias[0] = 50.0
    figures = measured(tagger, Pieces.read(base / "tokenizer.json"), validation_texts(6))
    assert figures["overall"]["exact"]["precision"] is None


@pytest.mark.parametrize("matrices", ["weights", "dynamic"])
def test_the_onnx_file_says_what_the_network_says(trained, base, tmp_path, matrices) -> None:
    out, _ = trained
    tagger = Tagger(Size.read(base)).eval()
    load_weights(tagger, out / "weights.pt")
    tests = inputs_of(Pieces.read(base / "tokenizer.json"), 12)
    found = export(tagger, tests, tmp_path / "toy.onnx", matrices, worth=1000)
    assert found.exact <= TOLERANCE
    assert found.mean < 0.01
    assert found.same > 0.8
    graph = onnx.load(str(tmp_path / "toy.onnx")).graph
    large = {w.name: w.data_type for w in graph.initializer if np.prod(w.dims, dtype=int) >= 2000}
    assert large
    assert set(large.values()) <= {onnx.TensorProto.INT8, onnx.TensorProto.UINT8}


def test_the_onnx_file_takes_any_number_of_texts_of_any_length(trained, base, tmp_path) -> None:
    out, _ = trained
    tagger = Tagger(Size.read(base)).eval()
    load_weights(tagger, out / "weights.pt")
    pieces = Pieces.read(base / "tokenizer.json")
    export(tagger, inputs_of(pieces, 4), tmp_path / "toy.onnx", worth=1000)
    for batch in inputs_of(pieces, 30):
        probability, variance = answer(tmp_path / "toy.onnx", batch)
        assert probability.shape == variance.shape == (*batch.ids.shape, len(LABELS))
        assert np.allclose(probability.sum(-1), 1, atol=1e-4)
    assert [i.name for i in onnx.load(str(tmp_path / "toy.onnx")).graph.input] == ["ids", "shape", "mask"]


def test_the_command_tells_what_is_no_base(tmp_path, monkeypatch) -> None:
    command = ["tagger_train", "--out", str(tmp_path / "run"), "--base", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit, match="--base"):
        tagger_train.main()

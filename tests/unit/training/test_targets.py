"""Which anchors and proposals learn which text."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")

from deidra.models.training.network import Detector, Limits, Proposals, anchors, best, decode, units  # noqa: E402
from deidra.models.training.targets import ROIS, Truth, assign, losses, padded, proposal_losses, sample  # noqa: E402
from deidra.models.training.variational import Coefficients  # noqa: E402


def truth(*boxes, labels=None, slope=None, short_side=None):
    count = len(boxes)
    return Truth(
        torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4),
        torch.tensor(slope or [0.0] * count),
        torch.tensor(short_side or [min(r - x, b - y) for x, y, r, b in boxes], dtype=torch.float32).reshape(-1),
        torch.tensor(labels or [1] * count, dtype=torch.long),
    )


CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("anchor", "owner"),
    [
        ((55, 20, 16), 0),
        ((55, 20, 32), -2),  # in the middle of a line, but of a level for larger text
        ((15, 20, 16), -2),  # on the line, but at its end
        ((55, 40, 32), -1),
        ((52, 104, 16), 1),  # a small text on the finest level
        ((300, 300, 32), -1),
    ],
)
def test_an_anchor_answers_for_the_text_of_its_height_whose_middle_it_is_in(anchor, owner) -> None:
    batch = padded([truth((10, 10, 100, 30), (50, 100, 58, 109))], CPU)
    assert assign(torch.tensor([anchor], dtype=torch.float32), batch).tolist() == [[owner]]


def test_padding_rows_own_nothing() -> None:
    batch = padded([truth(), truth((0, 0, 4, 4))], CPU)
    assert assign(torch.tensor([[1.0, 1.0, 16.0]]), batch).tolist() == [[-1], [0]]


def test_every_image_gets_its_proposals_and_at_most_half_of_them_on_text() -> None:
    torch.manual_seed(0)
    batch = padded([truth((10, 10, 60, 30)), truth(), truth((0, 0, 200, 12), labels=[3])], CPU)
    corner = torch.rand(900, 2) * 250 + 70
    proposals = Proposals(torch.cat([corner, corner + 20], 1), torch.arange(900) // 300)
    on_text = Proposals(torch.tensor([[10.0, 10, 60, 30]]).repeat(200, 1), torch.zeros(200, dtype=torch.long))
    drawn = sample(Proposals(*(torch.cat(p) for p in zip(proposals, on_text, strict=True))), batch)
    assert torch.bincount(drawn.proposals.image).tolist() == [ROIS] * 3
    assert torch.bincount(drawn.proposals.image[drawn.labels > 0], minlength=3)[:2].tolist() == [ROIS // 2, 0]
    assert set(drawn.labels[drawn.proposals.image == 2].tolist()) <= {0, 3}


def test_coded_edges_lead_from_the_proposal_to_the_text() -> None:
    torch.manual_seed(1)
    batch = padded([truth((10, 10, 110, 30), slope=[0.1], short_side=[12.0])], CPU)
    drawn = sample(Proposals(torch.tensor([[14.0, 8, 104, 31]]), torch.zeros(1, dtype=torch.long)), batch)
    right = drawn.labels > 0
    boxes = drawn.proposals.boxes[right]
    assert torch.allclose(
        boxes + drawn.edges[right, :4] * units(boxes), batch.boxes[0].expand(len(boxes), 4), atol=1e-3
    )
    assert torch.allclose(drawn.edges[right, 4], torch.tensor(0.5))
    assert torch.allclose(drawn.edges[right, 5], torch.tensor(12 / 20).log() / 0.5)


def test_anchors_stand_in_the_middle_of_their_cells() -> None:
    maps = [torch.zeros(1, 1, 64 // s, 32 // s) for s in (4, 8, 16, 32)]
    made = anchors(maps)
    assert len(made) == 16 * 8 + 8 * 4 + 4 * 2 + 2
    assert made[0].tolist() == [2.0, 2.0, 16.0]
    assert made[1].tolist() == [6.0, 2.0, 16.0]
    assert made[-1].tolist() == [16.0, 48.0, 128.0]


def test_a_code_of_zeros_is_the_anchor() -> None:
    assert decode(torch.zeros(4), torch.tensor([50.0, 40.0, 16.0])).tolist() == [42, 32, 58, 48]


def test_proposals_of_one_image_do_not_suppress_those_of_another() -> None:
    logits = torch.full((2, 3), 2.0)
    boxes = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 10.5], [50, 50, 60, 60]]).expand(2, 3, 4)
    found = best(logits, boxes, Limits())
    assert sorted(found.image.tolist()) == [0, 0, 1, 1]


@pytest.mark.parametrize("texts", [(), ((4, 4, 60, 20),)])
def test_the_loss_is_finite_and_reaches_every_weight(texts) -> None:
    torch.manual_seed(2)
    model = Detector(channels=16)
    images = torch.randint(0, 255, (1, 3, 64, 64), dtype=torch.uint8)
    total = losses(model, images, padded([truth(*texts)], CPU), Coefficients(), amp=False).total()
    total.backward()
    assert torch.isfinite(total)
    without = [n for n, p in model.named_parameters() if p.grad is None]
    assert without == []


def test_a_long_line_teaches_no_more_than_the_root_of_its_anchors() -> None:
    line, letter = (8.0, 8.0, 248.0, 24.0), (300.0, 100.0, 308.0, 112.0)
    anchor = torch.tensor([[60.0 + 4 * n, 16.0, 16.0] for n in range(25)] + [[304.0, 106.0, 16.0]])
    batch = padded([truth(line, letter)], CPU)
    assert assign(anchor, batch).tolist() == [[0] * 25 + [1]]
    logits = torch.zeros(1, 26, requires_grad=True)
    coded = torch.zeros(1, 26, 4, requires_grad=True)
    proposal_losses(logits, coded, anchor, batch)[1].backward()
    pull = coded.grad[0].abs().sum(1)
    alone = torch.zeros(1, 26, 4, requires_grad=True)
    weight = torch.tensor([0.2] * 25 + [1.0])
    proposal_losses(logits, alone, anchor, batch)[1].backward()
    # 25 anchors of one line weigh 1/5 each, one of a letter 1; 26 in all.
    assert torch.allclose(pull, alone.grad[0].abs().sum(1))
    single = torch.zeros(1, 1, 4, requires_grad=True)
    proposal_losses(torch.zeros(1, 1), single, anchor[25:], padded([truth(letter)], CPU))[1].backward()
    share = 26 / float(weight.sum())
    assert pull[25] == pytest.approx(float(single.grad.abs().sum()) * share / 26, rel=1e-4)


def test_a_letter_is_drawn_as_often_as_a_line_with_many_proposals() -> None:
    torch.manual_seed(1)
    line, letter = (8.0, 8.0, 248.0, 24.0), (300.0, 100.0, 308.0, 112.0)
    boxes = torch.tensor([line] * 900 + [letter] * 12)
    drawn = sample(Proposals(boxes, torch.zeros(912, dtype=torch.long)), padded([truth(line, letter)], CPU))
    letters = int(((drawn.labels > 0) & (drawn.proposals.boxes[:, 0] > 250)).sum())
    assert letters >= 10

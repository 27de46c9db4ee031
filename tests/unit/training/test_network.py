"""How proposals become candidates."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")

from deidra.models.training.network import Detector, Limits, Proposals, once  # noqa: E402


def test_of_boxes_that_overlap_in_one_image_the_best_stays_and_other_images_do_not_count() -> None:
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 0, 11, 10], [0, 0, 10, 10], [40, 0, 50, 10]])
    image = torch.tensor([0, 0, 1, 0])
    found = once(Proposals(boxes, image), torch.tensor([0.5, 0.9, 0.2, 0.1]), 0.5)
    assert found.boxes[:, 0].tolist() == [1, 0, 40]
    assert found.image.tolist() == [0, 1, 0]


def test_the_second_look_starts_from_the_first_answers_that_may_be_text() -> None:
    torch.manual_seed(5)
    model = Detector().eval()
    limits = Limits(score=0.0, most=60, again=0.2, again_overlap=0.9)
    with torch.no_grad():
        maps = model.maps(torch.randint(0, 255, (2, 3, 256, 256)).to(torch.uint8))
        first = model.judge(maps, model.propose(maps, limits))
        found = model.detect(maps, limits)
        keep = 1 - first.probability[:, 0] > limits.again
        again = once(Proposals(first.boxes[keep], first.image[keep]), 1 - first.probability[keep, 0], 0.9)
        wanted = model.judge(maps, again)
    assert 0 < len(found.boxes) <= int(keep.sum())
    for ours, theirs in zip(found, wanted, strict=True):
        assert torch.equal(ours, theirs)
    assert not torch.allclose(found.boxes, again.boxes)


def test_nothing_that_may_be_text_gives_nothing() -> None:
    model = Detector().eval()
    with torch.no_grad():
        found = model(torch.zeros(1, 3, 256, 256, dtype=torch.uint8), Limits(again=1.0))
    assert [len(part) for part in found] == [0] * 7

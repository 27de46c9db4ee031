"""Mean and variance through variational layers, against sampled weights."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")

from deidra.models.training.variational import (  # noqa: E402
    Coefficients,
    VariationalLinear,
    class_loss,
    edge_loss,
    relu,
    softmax,
)

SAMPLES = 200_000


def drawn(layer, inputs):
    """Outputs of a layer whose weights are drawn anew for each row of inputs ``(S, d)``."""
    generator = torch.Generator().manual_seed(1)
    weights = layer.mean + layer.log_variance.mul(0.5).exp() * torch.randn(
        len(inputs), *layer.mean.shape, generator=generator
    )
    bias = layer.bias + layer.bias_log_variance.mul(0.5).exp() * torch.randn(
        len(inputs), len(layer.bias), generator=generator
    )
    return torch.einsum("sod,sd->so", weights, inputs) + bias


@pytest.fixture
def layer():
    torch.manual_seed(0)
    made = VariationalLinear(6, 3, spread=0.4)
    made.bias.data.uniform_(-1, 1)
    made.bias_log_variance.data.fill_(-3.0)
    return made.requires_grad_(False)


def test_a_certain_input_gives_the_variance_that_sampling_finds(layer) -> None:
    x = torch.tensor([0.5, -1.0, 2.0, 0.0, 0.3, -0.7])
    mean, variance = layer(x[None], None)
    samples = drawn(layer, x.expand(SAMPLES, -1))
    assert torch.allclose(mean[0], samples.mean(0), atol=0.01)
    assert torch.allclose(variance[0], samples.var(0), rtol=0.02)


def test_an_uncertain_input_adds_its_own_variance(layer) -> None:
    x = torch.tensor([0.5, -1.0, 2.0, 0.0, 0.3, -0.7])
    spread = torch.tensor([0.1, 0.5, 0.2, 1.0, 0.0, 0.3])
    mean, variance = layer(x[None], spread[None])
    inputs = x + spread.sqrt() * torch.randn(SAMPLES, 6, generator=torch.Generator().manual_seed(2))
    samples = drawn(layer, inputs)
    assert torch.allclose(mean[0], samples.mean(0), atol=0.02)
    assert torch.allclose(variance[0], samples.var(0), rtol=0.02)


def test_relu_passes_variance_where_it_passes_the_mean() -> None:
    mean, variance = relu(torch.tensor([3.0, -3.0]), torch.tensor([0.04, 0.04]))
    assert mean.tolist() == [3.0, 0.0]
    assert variance.tolist() == pytest.approx([0.04, 0.0])


def test_softmax_variance_is_what_sampling_finds_for_small_spreads() -> None:
    mean, spread = torch.tensor([1.0, 0.2, -0.5, 0.4]), torch.tensor([0.02, 0.05, 0.01, 0.03])
    p, variance = softmax(mean[None], spread[None])
    noise = spread.sqrt() * torch.randn(SAMPLES, 4, generator=torch.Generator().manual_seed(3))
    samples = (mean + noise).softmax(-1)
    assert torch.allclose(p[0], samples.mean(0), atol=0.005)
    assert torch.allclose(variance[0], samples.var(0), rtol=0.08)


def test_no_probability_varies_more_than_it_can() -> None:
    p, variance = softmax(torch.tensor([[2.0, 0.0, -1.0]]), torch.tensor([[50.0, 80.0, 5.0]]))
    assert (variance <= p * (1 - p) + 1e-9).all()


def test_a_network_of_three_layers_agrees_with_sampling() -> None:
    torch.manual_seed(4)
    first, second = VariationalLinear(8, 16, 0.05), VariationalLinear(16, 4, 0.05)
    for made in (first, second):
        made.requires_grad_(False)
    x = torch.rand(1, 8)
    p, variance = softmax(*second(*relu(*first(x, None))))
    samples = drawn(second, drawn(first, x.expand(20_000, -1)).relu()).softmax(-1)
    assert torch.allclose(p[0], samples.mean(0), atol=0.01)
    assert torch.allclose(variance[0], samples.var(0), rtol=0.25)


def test_a_wrong_answer_costs_less_when_it_is_doubted() -> None:
    wrong = torch.tensor([[0.9, 0.1, 0.0, 0.0]])
    label, only_error = torch.tensor([1]), Coefficients(cross_entropy=0.0)
    sure = class_loss(wrong, torch.full((1, 4), 1e-4), label, only_error)
    doubted = class_loss(wrong, torch.full((1, 4), 0.1), label, only_error)
    assert doubted < sure


def test_a_right_answer_costs_less_when_it_is_sure() -> None:
    right = torch.tensor([[0.01, 0.99, 0.0, 0.0]])
    label, only_error = torch.tensor([1]), Coefficients(cross_entropy=0.0)
    sure = class_loss(right, torch.full((1, 4), 1e-4), label, only_error)
    doubted = class_loss(right, torch.full((1, 4), 0.1), label, only_error)
    assert sure < doubted


def test_the_best_variance_of_an_edge_is_its_squared_error() -> None:
    target, mean = torch.zeros(1, 5), torch.full((1, 5), 0.3)
    costs = {v: float(edge_loss(mean, torch.full((1, 5), v), target, Coefficients())) for v in (0.01, 0.09, 0.8)}
    assert min(costs, key=costs.__getitem__) == 0.09


def test_divergence_is_least_at_the_prior() -> None:
    weights = Coefficients(kl_trace=1.0, kl_mean=1.0, kl_log_det=1.0)
    made = VariationalLinear(4, 2)
    made.mean.data.zero_()
    made.log_variance.data.zero_()
    prior = float(made.divergence(weights).detach())
    made.log_variance.data.fill_(-1.0)
    narrow = float(made.divergence(weights).detach())
    made.log_variance.data.fill_(1.0)
    wide = float(made.divergence(weights).detach())
    assert prior < min(narrow, wide)
    assert prior == pytest.approx(4.0)  # trace of the identity for each of the two columns, divided by their number

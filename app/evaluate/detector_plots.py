"""Plots of the detector's figures as PNG pictures in data URLs."""

from __future__ import annotations

import base64
import io
from typing import Any

from deidra.app.domain.errors import KnownError

Figures = dict[str, Any]


def canvas(width: float = 6.4, height: float = 4.2) -> tuple[Any, Any]:
    """An empty figure and its axes.

    Raises:
        KnownError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KnownError("matplotlib is not installed.", "Install it: pip install deidra[bench]") from error
    figure = Figure((width, height), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def data_url(figure: Any) -> str:
    """The figure as a picture that stands in the page itself."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def noise_plot(noise: Figures, title: str) -> str:
    """Figure 5 of paper 003: mean normalised variance over the SNR, with standard deviations as bars."""
    figure, axes = canvas()
    spread = [s**0.5 for s in noise["spread"]]
    axes.errorbar(noise["levels"], noise["mean"], spread, marker="o", capsize=3)
    axes.set(title=title, xlabel="signal-to-noise ratio, dB", ylabel="mean normalised variance", xscale="log")
    axes.set_xticks(noise["levels"], [str(level) for level in noise["levels"]])
    axes.minorticks_off()
    return data_url(figure)


def quadrant_plot(doubt: Figures, title: str) -> str:
    """Figure 6 of paper 003: normalised variance against the best overlap, with the threshold and four quadrants."""
    figure, axes = canvas()
    own = doubt["own_threshold"]
    xs, ys = zip(*doubt["points"], strict=True) if doubt["points"] else ((), ())
    axes.scatter(xs, [max(y, 1e-6) for y in ys], s=4, alpha=0.4)
    axes.axhline(max(own["threshold"], 1e-6), color="tab:blue")
    axes.axvline(0.5, color="grey", linestyle="--")
    axes.set(title=title, xlabel="overlap (IoU)", ylabel="normalised variance", xlim=(0, 1), yscale="log")
    names = (
        ("right_doubted", "right, doubted (FN)", 0.98, 0.96),
        ("wrong_doubted", "wrong, doubted (TN)", 0.48, 0.96),
        ("wrong_sure", "wrong, sure (FP)", 0.48, 0.04),
        ("right_sure", "right, sure (TP)", 0.98, 0.04),
    )
    for key, label, x, y in names:
        text = f"{label}: {own[key]}"
        place = "top" if y > 0.5 else "bottom"
        axes.text(x, y, text, ha="right", va=place, transform=axes.transAxes, fontsize=8, backgroundcolor="#ffffffb0")
    return data_url(figure)


def reliability_plot(both: Figures, title: str) -> str:
    """Share of right boxes over their probability, before and after calibration."""
    figure, axes = canvas(5.2, 4.6)
    axes.plot([0, 1], [0, 1], color="grey", linestyle="--")
    for when, marker in (("before", "o"), ("after", "s")):
        own = both[when]
        label = f"{when} (ECE {own['error']:.3f})"
        axes.plot(own["probability"], own["right"], marker=marker, label=label)
    axes.legend()
    axes.set(title=title, xlabel="mean probability", ylabel="share right (IoU ≥ .5)", xlim=(0, 1), ylim=(0, 1.02))
    return data_url(figure)


def bar_plot(values: dict[str, Figures], title: str) -> str:
    """Recall and AP50 of groups as bars."""
    figure, axes = canvas(7.5, 0.8 + 0.32 * max(3, len(values)))
    names = list(values)
    places = range(len(names))
    axes.barh([p + 0.2 for p in places], [values[n]["recall"] for n in names], 0.38, label="recall")
    axes.barh([p - 0.2 for p in places], [values[n]["ap50"] for n in names], 0.38, label="AP50")
    axes.set_yticks(list(places), [f"{n} ({values[n]['texts']})" for n in names])
    axes.invert_yaxis()
    axes.set(title=title, xlim=(0, 1))
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return data_url(figure)


def cost_plot(cost: list[Figures], title: str) -> str:
    """CPU milliseconds over the side of the picture."""
    figure, axes = canvas()
    for agent in sorted({c["agent"] for c in cost}):
        for threads in sorted({c["threads"] for c in cost}):
            own = [c for c in cost if c["agent"] == agent and c["threads"] == threads]
            axes.plot(
                [c["side"] for c in own], [c["wall_ms"] for c in own], marker="o", label=f"{agent}, {threads} threads"
            )
    axes.set(title=title, xlabel="side of the square, pixels", ylabel="wall time, ms", xscale="log", yscale="log")
    axes.legend()
    return data_url(figure)

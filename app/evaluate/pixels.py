"""Burned-in text from end to end: what is covered on images of which is known what stands on them.

``deidra evaluate detector`` measures boxes; this measures what leaves the house: the product's own stages find
and decide, and its redactor covers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from deidra.app.decide.policy import Policy
from deidra.app.domain.model import AssetKind
from deidra.app.evaluate.pixels_peer import NAME, PeerDone, PeerRun, run_peer
from deidra.app.evaluate.pixels_product import Done, Mask, run_product
from deidra.app.evaluate.pixels_report import pixels_page
from deidra.app.evaluate.pixels_truth import HARMLESS, Known, Text, annotated, synthetic
from deidra.app.load.sources import recognise
from deidra.app.progress import Meter, ProgressSink
from deidra.models.registry import registry

Figures = dict[str, Any]
FULLY = 0.99
"""Share of a private text's box that must be covered."""
MOSTLY = 0.8
LITTLE = frozenset({"time", "sex", "age"})
"""Marked kinds that most policies rightly leave, since they identify nobody by themselves."""
WRONGLY = 0.5
"""Share of a harmless text's box from which on it counts as covered."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Args:
        out: folder for the synthetic images and the result.
        policy: the policy of the run.
        seeds: seeds of the synthetic sets.
        annotations: real images, if any, to be found in ``roots``.
        peers: a Python that has Presidio installed, if it is to be measured as well.
        show_text: say what missed texts say; of real images this is private data.
    """

    out: Path
    policy: Policy
    seeds: tuple[int, ...] = (7, 8)
    annotations: Path | None = None
    roots: tuple[Path, ...] = ()
    peers: Path | None = None
    show_text: bool = False


def measure_pixels(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures; written to ``result.json`` and ``result.html`` in the plan's folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    sets: Figures = {}
    if plan.seeds:
        sets["synthetic"] = _measure(synthetic(plan.out / "images", plan.seeds), [], plan, progress)
    if plan.annotations is not None:
        sets["real"] = _measure(*annotated(plan.annotations, plan.roots), plan, progress)
    result: Figures = {"about": _about(plan), "sets": sets}
    (plan.out / "result.json").write_text(json.dumps(result, indent=1), "utf-8")
    (plan.out / "result.html").write_text(pixels_page(result), "utf-8")
    return result


def _about(plan: Plan) -> Figures:
    known = registry()
    agents = plan.policy.detect.agents
    return {
        "policy": plan.policy.name,
        "seeds": ", ".join(map(str, plan.seeds)),
        "padding": f"{plan.policy.redact.padding_share} of the height, at least {plan.policy.redact.padding_least}",
        **{agent: known[agent].sha256 for agent in agents if agent in known},
        "fully covered": FULLY,
        "mostly covered": MOSTLY,
        "harmless text covered": WRONGLY,
    }


def _measure(images: Sequence[Known], absent: Sequence[str], plan: Plan, progress: ProgressSink | None) -> Figures:
    meter = Meter("images", len(images), progress, None)
    done = []
    for one in run_product([image.path for image in images], plan.policy):
        done.append(one)
        meter.step()
    rows = [_row(image, one) for image, one in zip(images, done, strict=True)]
    shares = [_shares(image, one) for image, one in zip(images, done, strict=True)]
    taken = [(image, found) for image, one, found in zip(images, done, shares, strict=True) if not one.refused]
    return {
        "images": len(taken),
        "absent": list(absent),
        "refused": {image.name: one.refused for image, one in zip(images, done, strict=True) if one.refused},
        "overall": {way: covered(taken, way) for way in ("auto", "accepted")} | _sums(rows),
        "identifying": {way: covered(_identifying(taken), way) for way in ("auto", "accepted")},
        "by_kind": {way: _by_kind(taken, way) for way in ("auto", "accepted")},
        "missed": [row for image, found in taken for row in _missed(image, found, "accepted", plan.show_text)],
        "asked": [row for image, found in taken for row in _asked(image, found, plan.show_text)],
        "rows": rows,
        "peer": _peer(images, done, plan.peers, plan.show_text) if plan.peers else None,
    }


def _shares(image: Known, done: Done) -> dict[str, list[float]]:
    """Covered share of each text's box, without asking and with every proposal accepted."""
    ways = {"auto": done.auto, "accepted": done.accepted}
    return {way: [share_of(masks, text) for text in image.texts] for way, masks in ways.items()}


def _identifying(taken: Iterable[tuple[Known, dict[str, list[float]]]]) -> list[tuple[Known, dict[str, list[float]]]]:
    """The same without private texts of :data:`LITTLE`."""
    found = []
    for image, shares in taken:
        kept = [number for number, text in enumerate(image.texts) if text.kind.lower() not in LITTLE]
        texts = tuple(image.texts[number] for number in kept)
        found.append((replace(image, texts=texts), {way: [s[number] for number in kept] for way, s in shares.items()}))
    return found


def share_of(masks: dict[int, Mask], text: Text) -> float:
    """How much of a text's box is covered, 0 to 1; a box outside the image is not covered."""
    if text.frame not in masks:
        return 0.0
    left, top, right, bottom = text.box
    part = masks[text.frame][max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
    return float(part.mean()) if part.size else 0.0


def covered(taken: Iterable[tuple[Known, dict[str, list[float]]]], way: str) -> Figures:
    """Counts over all images of private texts covered and harmless ones covered in vain."""
    private: list[float] = []
    harmless: list[float] = []
    whole = with_private = 0
    for image, shares in taken:
        own = [s for text, s in zip(image.texts, shares[way], strict=True) if text.private]
        private += own
        harmless += [s for text, s in zip(image.texts, shares[way], strict=True) if not text.private]
        with_private += bool(own)
        whole += bool(own) and min(own) >= FULLY
    return {
        "private": len(private),
        "fully": sum(s >= FULLY for s in private),
        "mostly": sum(s >= MOSTLY for s in private),
        "untouched": sum(s == 0 for s in private),
        "harmless": len(harmless),
        "harmless_covered": sum(s >= WRONGLY for s in harmless),
        "images_with_private": with_private,
        "images_all_covered": whole,
    }


def _by_kind(taken: Sequence[tuple[Known, dict[str, list[float]]]], way: str) -> Figures:
    kinds: Figures = {}
    for image, shares in taken:
        for text, share in zip(image.texts, shares[way], strict=True):
            if text.kind != HARMLESS:
                row = kinds.setdefault(text.kind, {"private": 0, "fully": 0, "mostly": 0})
                row["private"] += 1
                row["fully"] += share >= FULLY
                row["mostly"] += share >= MOSTLY
    return dict(sorted(kinds.items()))


def _missed(image: Known, shares: dict[str, list[float]], way: str, show: bool) -> list[Figures]:
    pairs = zip(image.texts, shares[way], strict=True)
    return [_named(image, text, share, show) for text, share in pairs if text.private and share < FULLY]


def _asked(image: Known, shares: dict[str, list[float]], show: bool) -> list[Figures]:
    """Private texts that are fully covered only if a curator says so."""
    both = zip(image.texts, shares["auto"], shares["accepted"], strict=True)
    return [_named(image, t, auto, show) for t, auto, all_ in both if t.private and auto < FULLY <= all_]


def _named(image: Known, text: Text, share: float, show: bool) -> Figures:
    row: Figures = {"image": image.name, "frame": text.frame, "box": list(text.box), "kind": text.kind}
    row["covered"] = round(share, 3)
    return row | ({"text": text.text} if show else {})


def _row(image: Known, done: Done) -> Figures:
    shares = _shares(image, done)
    both = {way: covered([(image, shares)], way) for way in shares}
    return {
        "image": image.name,
        "refused": done.refused,
        "private": both["auto"]["private"],
        "fully_auto": both["auto"]["fully"],
        "fully_accepted": both["accepted"]["fully"],
        "harmless": both["auto"]["harmless"],
        "harmless_auto": both["auto"]["harmless_covered"],
        "harmless_accepted": both["accepted"]["harmless_covered"],
        "waiting": done.waiting,
        "regions": done.regions,
        "changed_outside": done.changed_outside,
        "not_covered": done.not_covered,
        "pixels": done.way,
        "cpu_seconds": round(sum(done.cpu.values()), 2),
    }


def _sums(rows: Sequence[Figures]) -> Figures:
    taken = [row for row in rows if not row["refused"]]
    return {
        "waiting": sum(row["waiting"] for row in taken),
        "waiting_per_image": round(float(np.mean([row["waiting"] for row in taken])), 2) if taken else 0.0,
        "images_waiting": sum(row["waiting"] > 0 for row in taken),
        "images_changed_outside": sum(row["changed_outside"] > 0 for row in taken),
        "regions_not_covered": sum(row["not_covered"] for row in taken),
        "cpu_seconds": round(sum(row["cpu_seconds"] for row in taken), 1),
    }


def _peer(images: Sequence[Known], done: Sequence[Done], python: Path, show: bool) -> Figures:
    """The peer's figures, and the product's on the same files: those that both could take."""
    chosen = [
        (image, one)
        for image, one in zip(images, done, strict=True)
        if not one.refused and recognise(image.path.read_bytes())[0] is AssetKind.DICOM
    ]
    run = run_peer(python, [image.path for image, _ in chosen])
    about: Figures = {"tool": NAME, "version": run.version, "model": run.model, "note": run.note}
    return about | (_beside(chosen, run, show) if run.files else {})


def _beside(chosen: Sequence[tuple[Known, Done]], run: PeerRun, show: bool) -> Figures:
    taken, own = [], []
    for (image, one), peer in zip(chosen, run.files, strict=True):
        if not peer.error:
            taken.append((image, {"peer": [share_of(_masks(peer, one), text) for text in image.texts]}))
            own.append((image, _shares(image, one)))
    failed = {image.name: peer.error for (image, _), peer in zip(chosen, run.files, strict=True) if peer.error}
    return {
        "images": len(taken),
        "failed": failed,
        "peer": covered(taken, "peer") | {"cpu_seconds": round(sum(p.cpu for p in run.files if not p.error), 1)},
        "auto": covered(own, "auto"),
        "accepted": covered(own, "accepted"),
        "by_kind": _by_kind(taken, "peer"),
        "missed": [row for image, found in taken for row in _missed(image, found, "peer", show)],
    }


def _masks(peer: PeerDone, done: Done) -> dict[int, Mask]:
    """The peer's boxes on every frame."""
    masks = {}
    for frame, like in done.accepted.items():
        masks[frame] = np.zeros_like(like)
        for left, top, right, bottom in peer.boxes:
            masks[frame][max(0, top) : max(0, bottom), max(0, left) : max(0, right)] = True
    return masks


def summary(result: Figures) -> list[str]:
    """The most important figures as lines for a terminal."""
    lines = []
    for name, figures in result["sets"].items():
        overall = figures["overall"]
        for way, words in (("auto", "without asking"), ("accepted", "with proposals accepted")):
            lines.append(f"{name}, {words}: {_said(overall[way])}")
        lines.append(
            f"{name}: {overall['waiting']} findings wait on {overall['images_waiting']} of {figures['images']} images; "
            f"pixels outside changed on {overall['images_changed_outside']}; {overall['cpu_seconds']} CPU s"
        )
        peer = figures["peer"]
        if peer:
            lines.append(f"{name}, {peer['tool']}: " + (_said(peer["peer"]) if peer.get("peer") else peer["note"]))
    return lines


def _said(row: Figures) -> str:
    return (
        f"{row['fully']} of {row['private']} private lines fully covered ({row['untouched']} untouched), "
        f"{row['harmless_covered']} of {row['harmless']} harmless ones covered"
    )
